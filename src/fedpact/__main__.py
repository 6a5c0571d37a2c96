"""``python -m fedpact`` is the command line."""

from fedpact.cli import main

main()
