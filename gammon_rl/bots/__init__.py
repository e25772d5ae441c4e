"""Players: the bot and its levels, other players, and the arena in which they meet."""
