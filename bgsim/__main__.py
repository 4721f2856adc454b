"""`python -m bgsim`: the same as the console script."""

from bgsim.cli.main import run

if __name__ == "__main__":
    run()
