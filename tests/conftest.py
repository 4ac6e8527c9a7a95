"""Set-up of the whole test suite: builds go into a cache of this run, never into that of the user."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.batch import TESTED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The plugin under test leaves the tests of this suite alone."""
    for item in items:
        item.add_marker("no_set_platform")


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    before = os.environ.get("PYASC_TRANSPILE_CACHE")
    os.environ["PYASC_TRANSPILE_CACHE"] = str(shared / "pyasc-cache")
    yield
    if before is None:
        del os.environ["PYASC_TRANSPILE_CACHE"]
    else:
        os.environ["PYASC_TRANSPILE_CACHE"] = before


# Workers of pytest-xdist send what they have tested to the process that prints the summary.


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["tested"] = sorted(TESTED)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    TESTED.update(tuple(each) for each in getattr(node, "workeroutput", {}).get("tested", ()))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if TESTED:
        names = len({name for name, *_ in TESTED})
        what = "combinations of operation, element type, architecture and memory style"
        terminalreporter.write_line(f"operations tested: {names} operations, {len(TESTED):,} {what}")
