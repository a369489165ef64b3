"""Tracebacks of mistakes in tests of a project."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

import pytest

from pytest_crd.engine import jsonvalue

if TYPE_CHECKING:
    from support.sessions import Project

HEAD = "from pytest_crd import engine\nfrom pytest_crd.engine import jsonvalue\n\n\n"
IMPORTS = "import datetime\nimport pytest\nfrom pytest_crd import CustomResourceDefinition, engine\n\n\n"


# Mistakes by code, each with the message.
MISTAKES = {
    "version.create({'spec': {'day': datetime.datetime(2020, 1, 2, 3, 4, 5)}})": 'NotJSONError: spec.day: datetime.datetime(2020, 1, 2, 3, 4, 5) is not JSON (datetime); write the text "2020-01-02T03:04:05Z"',
    "version.create({'spec': {'rows': 'a'}}).stored['spec']": "NotAcceptedError: nothing is stored, *",
    "version.create({}, field_validation='strict')": "WrongValueError: field_validation 'strict': one of *",
    "version.update({}, subresource='a')": "TypeError: *",
    "version.patch(3, old={})": "WrongTypeError: a patch is a mapping or a list of operations, not integer",
    "version.update({}, old=3)": "WrongTypeError: a custom resource is a mapping, not integer",
    "version.update({}, old=version.create({}))": "NotJSONError: the value: <Response 201> is not JSON (Response); write its stored object, .stored",
    "version.openapi(4)": "WrongValueError: there is OpenAPI 2 and 3, not 4",
    "crds[0].version('v9')": "CrdLookupError: *",
    "crds['Gardn']": "CrdLookupError: no CRD is called 'Gardn'; did you mean 'Garden'?",
    "crds[0].under('1.11')": "UnknownVersionError: *",
    "engine.load('nowhere')": "ManifestError: nowhere: no such file or folder*",
    "CustomResourceDefinition.from_manifest({'kind': 'Pod'})": "CrdError: *",
}


def test_a_mistake_ends_in_the_line_of_the_test(project: Project) -> None:
    """Or in a function of the project; an error that a test raises itself keeps its line."""
    tests = [
        f"def test_{number:02}(crds):\n    version = crds[0].version('v1')\n    {code}\n"
        for number, code in enumerate(MISTAKES)
    ]
    project.write("test_it.py", IMPORTS + "".join(tests))
    project.write("helper.py", "def find(crds):\n    return crds['Gardn']\n")
    project.write(
        "test_frames.py",
        "from helper import find\nfrom pytest_crd import engine\n\n\ndef test_helper(crds):\n    find(crds)\n\n\n"
        "def test_own():\n    raise engine.CrdLookupError('mine')\n",
    )

    result = project.run("--import-mode=prepend")

    result.assert_outcomes(failed=len(MISTAKES) + 2)
    result.stdout.fnmatch_lines(["helper.py:2: CrdLookupError", "test_frames.py:10: CrdLookupError"])
    reports = re.split(r"\n_+ test_\d\d _+\n", "\n".join(result.outlines))[1:]
    for number, ((code, message), report) in enumerate(zip(MISTAKES.items(), reports, strict=True)):
        lines = report.partition("\n=")[0].splitlines()
        assert [line for line in lines if re.fullmatch(r"\S+\.py:\d+: ?\w*", line)] == [
            f"test_it.py:{8 + 3 * number}: {message.partition(':')[0]}"
        ], code
        assert f">       {code}" in lines
        assert any(re.match(r"E +(\S+\.)?" + re.escape(message.rstrip("*")), line) for line in lines), code


@pytest.mark.parametrize(
    ("code", "options", "place"),
    [
        ("jsonvalue.from_python = None; version.create({})", (), "pytest_crd/engine/client"),
        ("engine.load('nowhere')", ("--full-trace",), "pytest_crd/engine/"),
    ],
    ids=["a bug", "a full trace"],
)
def test_a_bug_of_the_package_and_a_full_trace_keep_the_frames_of_the_package(
    project: Project, monkeypatch: pytest.MonkeyPatch, code: str, options: tuple[str, ...], place: str
) -> None:
    monkeypatch.setattr(jsonvalue, "from_python", jsonvalue.from_python)
    project.write("test_it.py", f"{HEAD}def test_it(crds):\n    version = crds[0].version('v1')\n    {code}\n")

    result = project.run("--tb=line", *options)

    result.assert_outcomes(failed=1)
    assert any(place in line for line in result.outlines if re.search(r"\.py:\d+: ", line))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (dt.datetime(2020, 1, 2, 3, 4, 5, tzinfo=dt.timezone(dt.timedelta(hours=1))), "2020-01-02T02:04:05Z"),
        (dt.date(2020, 1, 2), "2020-01-02"),
    ],
)
def test_a_date_is_refused_with_the_text_to_write(value: object, text: str) -> None:
    with pytest.raises(jsonvalue.NotJSONError, match=f'; write the text "{text}"$'):
        jsonvalue.from_python({"a": value})


def test_the_refusal_of_a_crd_is_told_once_by_crd_server(project: Project) -> None:
    text = project.read("config/crd/bases/gardens.yaml").replace("size: {type: integer", "size: {type: integr")
    project.write("config/crd/bases/gardens.yaml", text)
    tests = "def test_url(crd_server):\n    crd_server.url\n\ndef test_it(crd_server):\n    crd_server['gardens']\n"
    project.write("test_it.py", tests)

    result = project.run("-rN")

    result.assert_outcomes(errors=2)
    assert result.stdout.str().count("is not accepted") == 2
    result.stdout.no_fnmatch_line("*During handling*")
