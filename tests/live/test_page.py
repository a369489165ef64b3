"""
The page about live servers shows the output beside a real server, with recorded answers.

To record them anew, run this file with CRD_LIVE_SERVER set to the URL of a server of that version. `python -m oracle compare live` asks one
without a recording.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from handbook import livepage
from live import exchanges

if TYPE_CHECKING:
    from support.sessions import Project

RECORDED: Final = Path(__file__).parent / f"recorded/page/{livepage.VERSION}.json"


@pytest.mark.long
@pytest.mark.replay
def test_the_page_shows_the_printed_lines(empty: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    exchanges.ask_alike_each_time(monkeypatch)
    livepage.project(empty.path)
    with exchanges.answered_by(RECORDED, os.environ.get("CRD_LIVE_SERVER", "")) as server:
        result = empty.run("--deselect", "controller", "--crd-live", server)

    assert livepage.differences(result.outlines) == []


def test_a_line_that_the_page_does_not_show_is_a_difference() -> None:
    compared = [*livepage._compared_lines(livepage._page_output())]

    assert len(compared) > 9
    assert livepage.differences(livepage._page_output()) == []
    assert livepage.differences([*livepage._page_output(), "crd: live: 1 left"])
    assert livepage.differences(livepage._page_output()[:-1])
    assert livepage.differences([])
