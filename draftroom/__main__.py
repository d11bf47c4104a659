"""Run the command as `python -m draftroom`."""

from draftroom.cli import main

if __name__ == "__main__":
    main()
