"""The requests that observers receive."""

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
from pytest_crd.engine.observer import SESSION, Observer

SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "minLength": 2}}}


def test_trial_objects_do_not_count() -> None:
    def make(version: engine.CrdVersion) -> None:
        assert synthesis.example(version)
        assert synthesis.example(version, full=True)
        assert [boundary.outside for boundary in synthesis.boundaries(version) if boundary.outside]

    assert reached(version_of(SCHEMA), make) == set()


def test_requests_of_other_threads_count() -> None:
    def send(version: engine.CrdVersion) -> None:
        thread = threading.Thread(target=version.create, args=({"spec": {"a": "ab"}},))
        thread.start()
        thread.join()

    assert "properties/spec/properties/a/minLength:held" in reached(version_of(SCHEMA), send)


def test_the_outer_listener_is_restored_after_a_failure() -> None:
    received: list[str] = []

    observer = Observer()
    version = version_of(SCHEMA).observed_by(observer)

    with observer.heard_by(request=lambda *_: received.append("outer")):
        with pytest.raises(KeyError), observer.heard_by(request=lambda *_: received.append("inner")):
            _fail()
        version.create({})

    assert received == ["outer"]
    assert observer.request is None


def test_a_listener_for_verdicts_does_not_replace_the_listener_for_requests() -> None:
    received: list[object] = []

    observer = Observer(lambda _, request: received.append(request.sent))
    with observer.heard_by(question=received.append):
        version_of(SCHEMA).observed_by(observer).prune({"spec": {}})

    assert received == [{"spec": {}}]


def test_an_unobserved_version_has_no_listeners_and_shares_compiled_schemas() -> None:
    received: list[object] = []
    version = version_of(SCHEMA).observed_by(Observer(lambda *request: received.append(request)))

    version.unobserved.prune({})
    answer = version.unobserved.create({"spec": {"a": "a"}})

    assert received == []
    assert answer.errors == version.create({"spec": {"a": "a"}}).errors
    assert version.unobserved is version.unobserved
    assert version.unobserved.passes is version.passes


def test_crds_derived_from_an_observed_crd_have_the_same_observer(tmp_path: Path) -> None:
    observer = Observer()
    received: list[object] = []
    context = CrdContext(observer)
    manifest = version_of(SCHEMA).crd.manifest
    crd = engine.CustomResourceDefinition.from_value(manifest, kubernetes_version="1.37", context=context)

    with observer.heard_by(request=lambda version, _: received.append(version.crd)):
        crds = [crd, crd.under("1.36"), crd.guarded(None), crd.altered(crd.declared)]
        for derived in crds:
            derived.version("v1").create({})

    assert received == crds


def test_listeners_are_not_pickled() -> None:
    version = version_of(SCHEMA).observed_by(SESSION)
    alone = version.observed_by(Observer(lambda *_: None))

    again, alone = pickle.loads(pickle.dumps((version, alone)))  # noqa: S301 - pickled here

    assert again.observer is SESSION
    assert alone.create({"spec": {"a": "ab"}}).accepted


def test_observation_does_not_change_answers() -> None:
    version = version_of({**SCHEMA, "x-kubernetes-validations": [{"rule": "self.a != 'xx'"}]})
    sent = [{"spec": {"a": a, "b": 1}} for a in ("x", "xx", "xxx")]
    unobserved = [version.create(item) for item in sent]

    observed = [version.observed_by(Collector().observer).create(item) for item in sent]

    assert [(item.code, item.stored_if_accepted, item.status, item.warnings) for item in observed] == [
        (item.code, item.stored_if_accepted, item.status, item.warnings) for item in unobserved
    ]


def test_copies_of_a_crd_that_was_read_count_together_and_altered_ones_do_not(tmp_path: Path) -> None:
    read = _read(tmp_path)
    collector = Collector()

    altered = read.altered({**read.manifest})
    with read.observer.heard_by(request=collector.take):
        read.under("1.32").version("v1").create({"spec": {"a": "ab"}})
        altered.version("v1").create({"spec": {}})
        CaseSubject(read.version("v1")).store({"spec": {"a": "a"}})

    assert collector.requests(read.version("v1")) == 1


def _fail() -> None:
    raise KeyError


def _read(folder: Path) -> engine.CustomResourceDefinition:
    from pytest_crd.engine.golang import printing

    path = folder / "crd.json"
    path.write_text(printing.marshal(dict(version_of(SCHEMA).crd.manifest)), encoding="utf-8")
    return engine.load([path])[0]
