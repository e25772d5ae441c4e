"""What a game is worth: cubeless equity, and the doubling cube in money play."""
