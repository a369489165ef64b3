"""Which requests an observer is told of."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from support.covered import reached, version_of

from pytest_crd import engine, examples
from pytest_crd.cases.subject import Subject
from pytest_crd.coverage import Collector
from pytest_crd.engine import observation

SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "minLength": 2}}}


def test_objects_that_are_only_tried_count_for_nothing() -> None:
    def make(version: engine.Version) -> None:
        assert examples.example(version)
        assert examples.example(version, full=True)
        assert [border.outside for border in examples.borders(version) if border.outside]

    assert reached(version_of(SCHEMA), make) == set()


def test_requests_of_other_threads_count() -> None:
    def ask(version: engine.Version) -> None:
        thread = threading.Thread(target=version.create, args=({"spec": {"a": "ab"}},))
        thread.start()
        thread.join()

    assert "properties/spec/properties/a/minLength:held" in reached(version_of(SCHEMA), ask)


def test_the_observer_before_is_told_again_after_a_failure() -> None:
    told: list[object] = []

    def observer(*_: object) -> None:
        told.append(observation.current)

    with observation.observing(observer):
        with pytest.raises(KeyError), observation.unobserved():
            _fail()
        version_of(SCHEMA).create({})

    assert told == [observer]
    assert observation.current is None


def test_answers_are_the_same_where_somebody_observes() -> None:
    version = version_of({**SCHEMA, "x-kubernetes-validations": [{"rule": "self.a != 'xx'"}]})
    sent = [{"spec": {"a": a, "b": 1}} for a in ("x", "xx", "xxx")]
    unobserved = [version.create(one) for one in sent]

    with Collector().collecting():
        observed = [version.create(one) for one in sent]

    assert [(one.code, one.stored, one.status, one.warnings) for one in observed] == [
        (one.code, one.stored, one.status, one.warnings) for one in unobserved
    ]


def test_copies_of_a_crd_that_was_read_count_together_and_altered_ones_do_not(tmp_path: Path) -> None:
    read = _read(tmp_path)
    collector = Collector()

    with collector.collecting():
        read.under("1.32").version("v1").create({"spec": {"a": "ab"}})
        read.altered({**read.manifest}).version("v1").create({"spec": {}})
        Subject(read.version("v1")).store({"spec": {"a": "a"}})

    assert collector.requests(read.version("v1")) == 1


def _fail() -> None:
    raise KeyError


def _read(folder: Path) -> engine.CustomResourceDefinition:
    from pytest_crd.engine.golang import printing

    path = folder / "crd.json"
    path.write_text(printing.marshal(dict(version_of(SCHEMA).crd.manifest)), encoding="utf-8")
    return engine.load([path])[0]
