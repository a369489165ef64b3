"""
Rows of parametrized tests: a function runs up to 50 rows as one test.

A test costs pytest three milliseconds besides its own work, and most rows take less. Rows stay tests of their own where the function has a fixture
that each row needs anew, where a row has other marks than `older`, and where the command line selects rows: with `-k`, or with the id of a row.

A failure names each failed row.
"""

from __future__ import annotations

import copy
import inspect
import re
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any, Final

import pytest
from _pytest.python import get_direct_param_fixture_func  # nothing public tells a parameter from a fixture

# The rows of a test; more would keep a worker busy while another has nothing left.
_LARGEST: Final = 50
# Fixtures of functions that count for all rows together.
_SHARED: Final = ("compared",)
# The id of several rows, in a node id.
_FOLDED: Final = re.compile(r"\[(older )?rows \d+-\d+\]$")
# The processor seconds of the dearest row of a test.
DEAREST: Final = pytest.StashKey[float]()
# The attribute of a folded call with its rows.
_ROWS: Final = "rows"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None]:
    """Replace the rows of a function by one call, or by one for each 50 rows."""
    yield
    if not _selects_rows(metafunc.config) and _is_foldable(metafunc):
        metafunc._calls[:] = _fold(metafunc._calls)


def _selects_rows(config: pytest.Config) -> bool:
    """Return whether the command line selects by the names of rows."""
    named = [*config.args, *(config.getoption("deselect") or ())]
    return bool(config.getoption("keyword")) or any("[" in each and not _FOLDED.search(each) for each in named)


def _is_foldable(metafunc: pytest.Metafunc) -> bool:
    """Return whether all fixtures of a function, except its parameters, stay the same from row to row."""
    if not metafunc._calls or metafunc.cls or hasattr(metafunc.function, "hypothesis"):
        return False
    definitions = metafunc._arg2fixturedefs
    parameters = metafunc._calls[0].params
    is_direct = all(definitions[name][-1].func is get_direct_param_fixture_func for name in parameters)
    fixtures = {*metafunc.fixturenames} - {*parameters, *_SHARED}
    is_alone = "request" not in inspect.signature(metafunc.function).parameters
    return is_direct and is_alone and all(definitions[name][-1].scope != "function" for name in fixtures - {"request"})


def _fold(calls: Sequence[Any]) -> Iterator[Any]:
    """Yield the calls with other marks than `older`, and calls with up to 50 rows of the others."""
    alone, newest, older = _sort(calls)
    yield from alone
    for prefix, rows in (("", newest), ("older ", older)):
        for start in range(0, len(rows), _LARGEST):
            some = rows[start : start + _LARGEST]
            if len(some) == 1:
                yield from some
                continue
            folded = copy.copy(some[0])
            object.__setattr__(folded, "_idlist", [f"{prefix}rows {start + 1}-{start + len(some)}"])
            object.__setattr__(folded, _ROWS, some)
            yield folded


def _sort(calls: Iterable[Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the calls with marks, those without, and those with the mark `older` alone."""
    sorted_: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for call in calls:
        names = {mark.name for mark in call.marks}
        sorted_[1 if not names else 2 if names == {"older"} else 0].append(call)
    return sorted_


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """
    Run each row of a function.

    Returns:
        None if the test is one row, which pytest runs.

    Raises:
        BaseExceptionGroup: Several rows fail. A single failure is raised as it is.
    """
    __tracebackhide__ = True
    rows = getattr(getattr(pyfuncitem, "callspec", None), _ROWS, None)
    if rows is None:
        return None
    failures, seconds = [], list[float]()
    for row in rows:
        start = time.process_time()
        try:
            pyfuncitem.obj(
                **{name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames} | row.params
            )
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # noqa: BLE001 - it is raised at the end
            remedy = ", which needs a mark to be skipped" if isinstance(error, pytest.skip.Exception) else ""
            error.add_note(f"in {pyfuncitem.originalname}[{row.id}]{remedy}")
            failures.append(error)
        seconds.append(time.process_time() - start)
    pyfuncitem.stash[DEAREST] = max(seconds)
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise BaseExceptionGroup(f"{len(failures)} of {len(rows)} rows fail", failures)
    return True
