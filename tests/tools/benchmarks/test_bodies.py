"""The functions that carry the body of a POST to the store."""

from __future__ import annotations

import argparse

import pytest
from benchmarks import bodies


def test_the_carriers_are_listed_from_the_server_to_the_store(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    bodies.add_arguments(parser)
    figures = [*bodies.main(parser.parse_args(["--list"]))]
    lines = capsys.readouterr().out.splitlines()
    functions, modules, returns = (int(figure.ratio) for figure in figures)

    assert lines[0] == "server/api.py: Api.answer"
    assert lines[-4] == "server/store/store.py: Store.put"
    assert "engine/registry/handlers.py: handle" in lines
    assert "engine/registry/customresource.py: CustomResourceStrategy.validate" not in lines  # returns errors
    assert len(lines) - 3 >= functions > modules > 10
    assert returns > 0
    assert all(figure.is_counted for figure in figures)


def test_a_step_into_a_module_that_was_left_is_a_return() -> None:
    assert bodies.count_returns(["a", "a", "b", "b", "a", "c", "b"]) == 2
    assert bodies.count_returns(["a", "b", "c"]) == 0
