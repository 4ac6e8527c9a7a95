"""``python -m pyasc_transpile script.py args...`` runs a script as Python does, with stand-ins for what it imports.

Options come before the script: ``--compat auto|force|off``, ``--backend NAME`` and ``--platform NAME``, which are the
defaults for launches of scripts that choose none themselves.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from typing import Optional

from . import compat
from .errors import TranspileError

USAGE = (
    "usage: python -m pyasc_transpile [--compat auto|force|off] [--backend NAME] [--platform NAME] script.py args...\n"
    "       pyasc-transpile writes Ascend C; see pyasc-transpile --help"
)
_VARIABLES = {"--backend": "PYASC_TRANSPILE_BACKEND", "--platform": "PYASC_TRANSPILE_PLATFORM"}


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the script that the arguments name; returns the exit code."""
    rest = list(sys.argv[1:] if arguments is None else arguments)
    mode: Optional[str] = None
    while rest and rest[0].startswith("-"):
        option, equals, value = rest.pop(0).partition("=")
        if option in ("-h", "--help"):
            print(USAGE)
            return 0
        if option not in ("--compat", *_VARIABLES) or not (equals or rest):
            print(f"{USAGE}\nerror: {option} is not an option, or lacks its value", file=sys.stderr)
            return 2
        value = value if equals else rest.pop(0)
        if option == "--compat":
            mode = value
        else:
            os.environ[_VARIABLES[option]] = value
    if not rest:
        print(f"{USAGE}\nerror: no script", file=sys.stderr)
        return 2
    return _run(rest, mode)


def _run(rest: list[str], mode: Optional[str]) -> int:
    script = rest[0]
    if not os.path.isfile(script):
        print(f"error: there is no file {script}", file=sys.stderr)
        return 2
    try:
        compat.install(mode)
        sys.argv = rest
        # "python -m" has put the working directory first; Python itself puts the script's folder there.
        sys.path[0] = os.path.dirname(os.path.abspath(script))
        runpy.run_path(script, run_name="__main__")
    except TranspileError as error:
        if os.environ.get("PYASC_TRANSPILE_DEBUG", "") not in ("", "0"):
            raise
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
