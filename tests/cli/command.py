"""What the installed ``lrgpnode`` does, for tests that start a process."""

import sys

from lrgpnode.cli import main

if __name__ == "__main__":
    sys.exit(main())
