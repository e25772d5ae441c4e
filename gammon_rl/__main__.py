"""``python -m gammon_rl`` is the command ``gammon-rl``."""

from gammon_rl.cli import main

main()
