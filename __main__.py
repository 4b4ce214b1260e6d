"""``python -m topreempt``."""

from topreempt.cli.app import main

main()
