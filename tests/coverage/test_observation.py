"""Which requests an observer is told of."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path

import pytest
from support.covered import reached, version_of

from pytest_crd import engine, synthesis
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.coverage import Collector
from pytest_crd.engine.api.context import CrdContext
from pytest_crd.engine.observer import OF_PROCESS, Observer

SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "minLength": 2}}}


def test_objects_that_are_only_tried_count_for_nothing() -> None:
    def make(version: engine.Version) -> None:
        assert synthesis.example(version)
        assert synthesis.example(version, full=True)
        assert [boundary.outside for boundary in synthesis.boundaries(version) if boundary.outside]

    assert reached(version_of(SCHEMA), make) == set()


def test_requests_of_other_threads_count() -> None:
    def ask(version: engine.Version) -> None:
        thread = threading.Thread(target=version.create, args=({"spec": {"a": "ab"}},))
        thread.start()
        thread.join()

    assert "properties/spec/properties/a/minLength:held" in reached(version_of(SCHEMA), ask)


def test_who_listened_before_is_told_again_after_a_failure() -> None:
    told: list[str] = []

    with OF_PROCESS.heard_by(request=lambda *_: told.append("outer")):
        with pytest.raises(KeyError), OF_PROCESS.heard_by(request=lambda *_: told.append("inner")):
            _fail()
        version_of(SCHEMA).create({})

    assert told == ["outer"]
    assert OF_PROCESS.request is None


def test_who_listens_to_something_else_takes_nothing_from_who_listens_to_requests() -> None:
    told: list[object] = []

    with (
        OF_PROCESS.heard_by(request=lambda _, request: told.append(request.sent)),
        OF_PROCESS.heard_by(question=told.append),
    ):
        version_of(SCHEMA).prune({"spec": {}})

    assert told == [{"spec": {}}]


def test_a_version_that_is_not_observed_tells_nobody_and_shares_what_is_compiled() -> None:
    version = version_of(SCHEMA)
    told: list[object] = []

    with OF_PROCESS.heard_by(request=lambda *request: told.append(request)):
        version.unobserved.prune({})
        answer = version.unobserved.create({"spec": {"a": "a"}})

    assert told == []
    assert answer.errors == version.create({"spec": {"a": "a"}}).errors
    assert version.unobserved is version.unobserved
    assert version.unobserved.passes is version.passes


def test_crds_that_are_made_of_an_observed_one_tell_the_same_observer(tmp_path: Path) -> None:
    observer = Observer()
    told: list[object] = []
    context = CrdContext(observer=observer)
    manifest = version_of(SCHEMA).crd.manifest
    crd = engine.CustomResourceDefinition.from_value(manifest, kubernetes_version="1.37", context=context)

    with observer.heard_by(request=lambda version, _: told.append(version.crd)):
        crds = [crd, crd.under("1.36"), crd.guarded(None), crd.altered(crd.declared)]
        for one in crds:
            one.version("v1").create({})

    assert told == crds


def test_who_listens_here_does_not_listen_in_another_process() -> None:
    version = version_of(SCHEMA)

    with OF_PROCESS.heard_by(request=lambda *_: None):
        again, alone = pickle.loads(pickle.dumps((version, version.unobserved)))  # noqa: S301 - made here

    assert again.crd.observer is OF_PROCESS
    assert alone.create({"spec": {"a": "ab"}}).accepted


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
        CaseSubject(read.version("v1")).store({"spec": {"a": "a"}})

    assert collector.requests(read.version("v1")) == 1


def _fail() -> None:
    raise KeyError


def _read(folder: Path) -> engine.CustomResourceDefinition:
    from pytest_crd.engine.golang import printing

    path = folder / "crd.json"
    path.write_text(printing.marshal(dict(version_of(SCHEMA).crd.manifest)), encoding="utf-8")
    return engine.load([path])[0]
