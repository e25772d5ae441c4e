"""Protocols over the bots."""
