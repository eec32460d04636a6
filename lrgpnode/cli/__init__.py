"""The command line. It talks to a node only through its control socket."""


def main() -> int:
    """The entry point of ``lrgpnode``; returns the exit code."""
    from lrgpnode.cli.root import main  # noqa: PLC0415 - lrgpnode.cli.conform does without it

    return main()
