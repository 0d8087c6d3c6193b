"""`python -m stovepipe_cli`."""

from stovepipe_cli.cli import main

if __name__ == "__main__":
    main()
