"""Learning: self-play, TD(lambda), checkpoints and export; the only part that needs torch."""
