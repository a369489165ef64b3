"""
Rows of parametrized tests: a function runs up to 50 rows as one test.

A test costs pytest three milliseconds besides its own work, and most rows take less. Rows stay tests of their own where the function has a fixture
that each row needs anew, where a row has other marks than `older`, where the function is expected to fail, and where the command line selects rows:
with `-k`, or with the id of a row.

A failure names each failed row. A row fails that skips itself or returns a value.
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
    last = {name: metafunc._arg2fixturedefs[name][-1] for name in metafunc._arg2fixturedefs}
    parameters = metafunc._calls[0].params
    # A parameter with a wider scope may change other fixtures.
    is_direct = all(
        last[name].func is get_direct_param_fixture_func and last[name].scope == "function" for name in parameters
    )
    fixtures = {*metafunc.fixturenames} - {*parameters, *_SHARED, "request"}
    is_alone = "request" not in inspect.signature(metafunc.function).parameters
    is_shared = all(name in last and last[name].scope != "function" for name in fixtures)
    return is_direct and is_alone and is_shared and metafunc.definition.get_closest_marker("xfail") is None


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
    failures, seconds = list[BaseException](), list[float]()
    for row in rows:
        start = time.process_time()
        try:
            _run(pyfuncitem, row)
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:  # noqa: BLE001 - it is raised at the end
            error.add_note(f"in {pyfuncitem.originalname}[{row.id}]")
            failures.append(error)
        seconds.append(time.process_time() - start)
    pyfuncitem.stash[DEAREST] = max(seconds)
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise BaseExceptionGroup(f"{len(failures)} of {len(rows)} rows fail", failures)
    return True


def _run(pyfuncitem: pytest.Function, row: Any) -> None:
    """Run a row, which fails with a result, or with an outcome that would count for all rows."""
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames} | row.params
    try:
        result = pyfuncitem.obj(**arguments)
    except (pytest.skip.Exception, pytest.xfail.Exception) as error:
        raise AssertionError("the row needs a mark to be skipped, or to be expected to fail") from error
    assert result is None, "a row returns a value, which nothing reads"
