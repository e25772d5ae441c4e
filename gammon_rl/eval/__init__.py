"""Evaluation: what a net is shown of a board, the model file, and its NumPy evaluator; no torch."""
