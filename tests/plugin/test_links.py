"""Links to a folder above them are collected only if the command line names them, because following them never ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.sessions import Project


@pytest.mark.parametrize("arguments", [["below"], ["below/test_other.py", "below/inner"]])
def test_a_named_link_to_a_folder_above_it_is_collected_once(arguments: list[str], empty: Project) -> None:
    empty.write("test_other.py", "def test_other():\n    pass\n")
    empty.write("inner/test_inner.py", "def test_inner():\n    pass\n")
    empty.path.joinpath("below").symlink_to(empty.path, target_is_directory=True)

    empty.run(*arguments).assert_outcomes(passed=2)


def test_a_link_to_a_folder_beside_it_is_collected(empty: Project) -> None:
    empty.write("inner/test_inner.py", "def test_inner():\n    pass\n")
    empty.path.joinpath("beside").symlink_to(empty.path / "inner", target_is_directory=True)

    empty.run().assert_outcomes(passed=2)
