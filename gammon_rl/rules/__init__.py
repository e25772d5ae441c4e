"""The rules of the game on arrays: boards, dice, plays, notation and IDs; NumPy only."""
