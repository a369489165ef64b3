"""Requests without an object (health checks, version, discovery, OpenAPI), tokens, and forms of responses."""

from __future__ import annotations

import gzip
import json

import pytest
import yaml
from support import servers

from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("*/*,application/yaml", "application/yaml"),
        ("application/*,application/yaml", "application/yaml"),
        ("*/*;q=0.9,application/yaml;q=0.8", "application/yaml"),
        ("application/yaml;q=0.1,*/*", "application/json"),
        ("application/json;q=0.5,application/yaml", "application/yaml"),
        ("application/json;q=x,application/yaml", "application/json"),
    ],
)
def test_specific_media_types_precede_wildcards(accept: str, form: str) -> None:
    assert servers.ask(servers.api(), "GET", servers.CRDS, accept=accept).media_type == form


def test_health_checks_need_no_token() -> None:
    server = servers.api(token="secret")  # noqa: S106
    for path in ("/healthz", "/livez", "/readyz", "/readyz/etcd", "/readyz?verbose"):
        answer = servers.ask(server, "GET", path)
        assert (answer.code, answer.body, answer.media_type) == (200, b"ok", "text/plain; charset=utf-8")


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("Bearer secret", 200),
        ("bearer secret", 200),
        ("BEARER secret", 200),
        ("  Bearer secret  ", 200),
        ("Bearer secret and more", 200),
        ("Bearer other", 401),
        ("Bearer secretly", 401),
        ("Bearer", 401),
        ("Bearer ", 401),
        ("Bearersecret", 401),
        ("Basic secret", 401),
        ("secret", 401),
        ("", 401),
        ("Bearer é", 401),
        ("Bearer \udcff", 401),
    ],
)
def test_other_requests_need_the_token(header: str, code: int) -> None:
    server = servers.api(token="secret")  # noqa: S106
    answer = servers.ask(server, "GET", servers.JOBS, headers={"authorization": header})
    assert answer.code == code
    assert "Warning" not in dict(answer.headers)


def test_two_spaces_before_a_token_are_refused_with_a_warning() -> None:
    server = servers.api(token="secret")  # noqa: S106
    answer = servers.ask(server, "GET", servers.JOBS, headers={"authorization": "Bearer  secret"})
    assert answer.code == 401
    assert "extra space before the bearer token" in dict(answer.headers)["Warning"]


def test_the_version_is_the_kubernetes_version() -> None:
    result = servers.ask(servers.api(), "GET", "/version").value
    assert (result["major"], result["minor"], result["gitVersion"]) == ("1", "37", "v1.37.0+pytest-crd")


def test_a_preview_says_so_in_its_version_and_serves_the_recorded_documents() -> None:
    preview, newest = servers.api(kubernetes_version="1.38"), servers.api()

    version = servers.ask(preview, "GET", "/version").value
    assert (version["minor"], version["gitVersion"]) == ("38", "v1.38.0-preview+pytest-crd")
    for path in ("/openapi/v3", "/apis"):
        assert servers.ask(preview, "GET", path).value == servers.ask(newest, "GET", path).value


def test_groups_and_resources_are_discovered() -> None:
    server = servers.api()
    groups = {item["name"]: item for item in servers.ask(server, "GET", "/apis").value["groups"]}
    assert len(groups) == 22
    assert {"apps", "policy", "rbac.authorization.k8s.io", "apiextensions.k8s.io", "fuzz.example.com"} < set(groups)
    assert [item["version"] for item in groups["fuzz.example.com"]["versions"]] == ["v1", "v1beta1"]
    assert servers.ask(server, "GET", "/apis/apps").value["preferredVersion"]["version"] == "v1"
    assert servers.ask(server, "GET", "/apis/nope").code == 404
    assert servers.ask(server, "GET", "/api").value["versions"] == ["v1"]
    core = {item["name"]: item for item in servers.ask(server, "GET", "/api/v1").value["resources"]}
    assert core["pods"]["shortNames"] == ["po"]
    assert core["pods/status"]["verbs"] == ["get", "patch", "update"]
    assert servers.ask(server, "GET", "/apis/fuzz.example.com/v9").code == 404
    assert "/apis/fuzz.example.com/v1" in servers.ask(server, "GET", "/").value["paths"]
    assert servers.ask(server, "POST", "/apis").code == 404
    assert servers.ask(server, "GET", "/nope").code == 404


def test_discovery_can_be_aggregated() -> None:
    server = servers.api()
    answer = servers.ask(server, "GET", "/apis", accept=AGGREGATED)
    assert answer.media_type == "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    result = {item["metadata"]["name"]: item["versions"] for item in answer.value["items"]}
    v1, v1beta1 = result["fuzz.example.com"]
    assert [item["resource"] for item in v1["resources"]] == ["boards", "jobs"]
    assert [item["subresource"] for item in v1["resources"][1]["subresources"]] == ["status", "scale"]
    assert [item["resource"] for item in v1beta1["resources"]] == ["jobs"]
    core = servers.ask(server, "GET", "/api", accept=AGGREGATED).value["items"]
    assert [item["metadata"] for item in core] == [{}]

    tag = dict(answer.headers)["Etag"]
    again = servers.ask(server, "GET", "/apis", accept=AGGREGATED, headers={"if-none-match": tag})
    assert (again.code, again.body, again.media_type) == (304, b"", answer.media_type)
    servers.ask(server, "POST", servers.CRDS, servers.crd())
    second = servers.ask(server, "GET", "/apis", accept=AGGREGATED, headers={"if-none-match": tag})
    assert second.code == 200


def test_openapi_documents_have_the_types() -> None:
    server = servers.api()
    paths = servers.ask(server, "GET", "/openapi/v3").value["paths"]
    assert {"api/v1", "apis/apps/v1", "apis/fuzz.example.com/v1"} <= paths.keys()
    document = servers.ask(server, "GET", paths["apis/fuzz.example.com/v1"]["serverRelativeURL"]).value
    assert "com.example.fuzz.v1.Job" in document["components"]["schemas"]
    core = servers.ask(server, "GET", "/openapi/v3/api/v1").value
    patched = core["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["patch"]
    assert patched["x-kubernetes-group-version-kind"] == {"group": "", "version": "v1", "kind": "Pod"}
    assert "fieldValidation" in [item["name"] for item in patched["parameters"]]
    fields = core["components"]["schemas"]["io.k8s.api.core.v1.ConfigMap"]["properties"]
    assert fields["data"]["additionalProperties"] == {"type": "string"}
    definitions = servers.ask(server, "GET", "/openapi/v2").value["definitions"]
    assert {"com.example.fuzz.v1.Job", "io.k8s.api.core.v1.ConfigMap"} <= definitions.keys()
    for path in ("/openapi/v3/apis/nope/v1", "/openapi/v4", "/openapi/v2/x"):
        assert servers.ask(server, "GET", path).code == 404


def test_openapi_documents_have_the_paths_of_served_resources_alone() -> None:
    """A document promises no path that the server does not serve."""
    core = servers.ask(Api([]), "GET", "/openapi/v3/api/v1").value
    assert "/api/v1/namespaces/{namespace}/pods/{name}/proxy/{path}" in core["paths"]
    assert not any("componentstatuses" in path for path in core["paths"])
    version_2 = servers.ask(Api([]), "GET", "/openapi/v2").value
    assert core["paths"].keys() < version_2["paths"].keys()
    assert not any("componentstatuses" in path for path in version_2["paths"])


def test_versions_of_crds_that_are_not_served_have_no_document() -> None:
    crd = servers.crd()
    version = crd["spec"]["versions"][0]
    crd["spec"]["versions"].append({**version, "name": "v2", "served": False, "storage": False})
    server = servers.api(crd)
    group = crd["spec"]["group"]
    paths = servers.ask(server, "GET", "/openapi/v3").value["paths"]
    assert {path for path in paths if group in path} == {f"apis/{group}/{version['name']}"}
    assert servers.ask(server, "GET", f"/openapi/v3/apis/{group}/v2").code == 404


def test_kubernetes_1_21_publishes_no_version_3() -> None:
    server = Api([], kubernetes_version="1.21")
    for path in ("/openapi/v3", "/openapi/v3/api/v1"):
        assert servers.ask(server, "GET", path).code == 404
    document = servers.ask(server, "GET", "/openapi/v2").value
    assert document["info"] == {"title": "Kubernetes", "version": "1.21"}
    assert document["definitions"]["io.k8s.api.core.v1.ConfigMap"]["properties"]["data"]["type"] == "object"
    assert "/api/v1/namespaces/{namespace}/configmaps" in document["paths"]


def test_answers_are_indented_for_people() -> None:
    server = servers.api()
    servers.ask(server, "POST", servers.JOBS, servers.job("a"))
    for rest in ({"agent": "curl/8"}, {"accept": "application/json;pretty=1"}):
        assert b'\n  "kind": "Job"' in servers.ask(server, "GET", f"{servers.JOBS}/a", **rest).body
    assert servers.ask(server, "GET", f"{servers.JOBS}/a?pretty=0", agent="curl/8").body.count(b"\n") == 1


def test_long_responses_are_compressed_if_accepted() -> None:
    server = servers.api()
    for number in range(3):
        servers.ask(server, "POST", servers.JOBS, servers.job(f"a{number}", annotations={"note": "x" * 60_000}))
    whole = servers.ask(server, "GET", servers.JOBS)
    answer = servers.ask(server, "GET", servers.JOBS, headers={"accept-encoding": "gzip, deflate"})

    assert dict(answer.headers)["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.body) == whole.body


def test_errors_have_the_requested_form() -> None:
    server = servers.api()
    answer = servers.ask(server, "GET", f"{servers.JOBS}/a", accept="application/yaml")
    assert yaml.safe_load(answer.body)["reason"] == "NotFound"
    refused = servers.ask(server, "GET", f"{servers.JOBS}/a", accept="image/png")
    assert (refused.code, json.loads(refused.body)["reason"]) == (406, "NotAcceptable")


def test_malformed_bodies_are_refused() -> None:
    server = servers.api()
    reply = server.answer(HTTPRequest("POST", servers.JOBS, {"content-type": "application/json"}, b"\xff{"))
    assert isinstance(reply, HTTPAnswer)
    assert reply.code == 400
    for body in ("a: [", "[1"):
        patched = servers.ask(
            server, "PATCH", f"{servers.JOBS}/a?fieldManager=m", body, mediaType="application/apply-patch+yaml"
        )
        assert patched.code == 400
    assert servers.ask(server, "POST", servers.JOBS, "a: [", mediaType="application/yaml").code == 400
    assert servers.ask(server, "DELETE", f"{servers.JOBS}/a", "a: [", mediaType="application/yaml").code == 400
    assert servers.ask(server, "DELETE", f"{servers.JOBS}/a", "[]").code == 400


@pytest.mark.parametrize("name", ["jobs", "job", "Job", "jobs.fuzz.example.com", "jobs.fuzz.example.com/v1"])
def test_resources_are_found_by_each_name(name: str) -> None:
    result = servers.api().catalog.find_by_name(name if "." in name else f"{name}.fuzz.example.com")
    assert (result.names.plural, result.version) == ("jobs", "v1")


def test_a_resource_of_the_project_takes_precedence_over_a_built_in_one() -> None:
    catalog = servers.api().catalog

    assert catalog.find_by_name("jobs").group == "fuzz.example.com"
    assert catalog.find_by_name("jobs.batch").group == "batch"
    assert catalog.find_by_name("pods.").group == ""


def test_unknown_and_ambiguous_names_are_errors() -> None:
    server = servers.api()
    assert server.catalog.find_by_name("boards").names.kind == "Board"
    assert server.catalog.find_by_name("job.fuzz.example.com/v1beta1").version == "v1beta1"
    own = servers.ask(server, "GET", f"{servers.CRDS}/jobs.fuzz.example.com").value
    spec = {**own["spec"], "group": "other.example.com"}
    other = {key: own[key] for key in ("apiVersion", "kind")} | {
        "metadata": {"name": "jobs.other.example.com"},
        "spec": spec,
    }
    assert servers.ask(server, "POST", servers.CRDS, other).code == 201
    remedy = r"write one of these, as in crd_server\['jobs\.fuzz\.example\.com'\]"
    with pytest.raises(
        LookupError, match=rf"several resources: jobs\.fuzz\.example\.com, jobs\.other\.example\.com; {remedy}"
    ):
        server.catalog.find_by_name("jobs")
    with pytest.raises(
        LookupError, match=r"no resource is called 'nope'; there are: boards\.fuzz\.example\.com, customres"
    ):
        server.catalog.find_by_name("nope")


def test_keys_of_custom_resources_are_sorted_and_those_of_built_in_kinds_are_not() -> None:
    server = servers.api()
    answer = servers.ask(server, "POST", servers.JOBS, {**servers.job("a"), "kind": "Job"})
    assert answer.body.index(b'"apiVersion"') < answer.body.index(b'"kind"') < answer.body.index(b'"metadata"')
    listed = servers.ask(server, "GET", servers.JOBS)
    assert listed.body.index(b'"items"') < listed.body.index(b'"kind":"JobList"')
    namespace = servers.ask(server, "GET", "/api/v1/namespaces/default")
    assert namespace.body.startswith(b'{"kind":"Namespace","apiVersion":"v1"')
    status = servers.ask(server, "DELETE", f"{servers.JOBS}/a")
    assert status.body.startswith(b'{"kind":"Status"')


def test_floats_in_yaml_have_gos_spelling() -> None:
    version = {"name": "v1", "served": True, "storage": True}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    server = servers.api(servers.crd(versions=[{**version, "schema": schema}]))
    path = "/apis/example.com/v1/namespaces/default/things"
    value = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}
    answer = servers.ask(server, "POST", path, {**value, "x": 1e20, "y": 0.5, "z": "1e+20"}, accept="application/yaml")
    assert b"\nx: 1e+20\ny: 0.5\nz: '1e+20'\n" in answer.body


def test_names_in_messages_are_quoted_as_go_quotes_them() -> None:
    answer = servers.ask(servers.api(), "GET", f"{servers.JOBS}/a%00")
    assert answer.value["message"] == 'jobs.fuzz.example.com "a\\x00" not found'


NUMBER = "json: cannot unmarshal number 1e400 into Go value of type float64"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"spec": 1e400}', f'Job in version "v1" cannot be handled as a Job: {NUMBER}'),
        (
            '{"apiVersion": "x/v2", "kind": "Y", "spec": 1e400}',
            f'Y in version "v2" cannot be handled as a Job: {NUMBER}',
        ),
        (
            '{"apiVersion": "a/b/c", "kind": "Y", "spec": 1e400}',
            'the object provided is unrecognized (must be of type Job): unexpected GroupVersion string: a/b/c ({"apiVersion": "a/b/c", "kind" ...)',
        ),
    ],
)
def test_a_number_beyond_float64_is_found_after_the_kind(body: str, message: str) -> None:
    answer = servers.ask(servers.api(), "POST", servers.JOBS, body)
    assert (answer.code, answer.value["message"]) == (400, message)


def test_an_invalid_utf8_byte_is_named() -> None:
    server = servers.api()
    reply = server.answer(HTTPRequest("POST", servers.JOBS, {"content-type": "application/json"}, b'{"a":\xff}'))
    assert isinstance(reply, HTTPAnswer)
    assert "json parse error: invalid character '\xff' looking for beginning of value" in reply.value["message"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"a": "\xc3\xff"}', """Object 'Kind' is missing in '{"a": "\ufffd\ufffd"}'"""),
        (b'["\xff \\/"]', "(5b22ff205c2f225d)"),
    ],
    ids=["an object without a kind", "a list"],
)
@pytest.mark.parametrize("version", ["1.37", "1.21"])
def test_invalid_utf8_is_quoted_with_replacements(body: bytes, message: str, version: str) -> None:
    server = servers.api(kubernetes_version=version)
    reply = server.answer(HTTPRequest("POST", servers.JOBS, {"content-type": "application/json"}, body))
    assert isinstance(reply, HTTPAnswer)
    assert message in reply.value["message"]


@pytest.mark.parametrize(
    "path", ["/apis/apps/v1//namespaces/default/deployments", "/apis/apps/v2/deployments", "/api/v1/nothing"]
)
def test_an_unknown_path_in_a_group_of_built_in_kinds_is_a_status(path: str) -> None:
    answer = servers.ask(servers.api(), "GET", path)
    assert (answer.code, answer.value["message"]) == (404, "the server could not find the requested resource")


def test_an_asterisk_alone_accepts_no_built_in_kind() -> None:
    server = servers.api()
    assert servers.ask(server, "GET", "/api/v1/namespaces", accept="*").code == 406
    assert servers.ask(server, "GET", servers.JOBS, accept="*").code == 200


def test_an_error_in_metadata_of_a_built_in_kind_is_told_once() -> None:
    server = servers.api()
    path = "/api/v1/namespaces/default/configmaps"
    servers.ask(server, "POST", path, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})
    patch = {"metadata": {"labels": {"a b": "c"}}}
    answer = servers.ask(server, "PATCH", f"{path}/a", patch, mediaType="application/merge-patch+json")
    assert [cause["field"] for cause in answer.value["details"]["causes"]] == ["metadata.labels"]


@pytest.mark.parametrize(
    ("name", "problem"), [(".", "may not be '.'"), ("..", "may not be '..'"), ("a%25b", "may not contain '%'")]
)
def test_a_name_that_is_no_segment_of_a_path_is_a_bad_request(name: str, problem: str) -> None:
    answer = servers.ask(servers.api(), "GET", f"{servers.JOBS}/{name}")
    quoted = name.replace("%25", "%")
    assert (answer.code, answer.value["message"]) == (400, f'Name parameter invalid: "{quoted}": {problem}')


def test_an_unreadable_scale_of_a_custom_resource_is_of_an_unknown_type() -> None:
    answer = servers.ask(servers.api(), "PUT", f"{servers.JOBS}/a/scale", "{")
    message = 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"'
    assert (answer.code, answer.value["message"]) == (400, message)


@pytest.mark.parametrize(
    ("entries", "code"),
    [([{"manager": "m"}], 400), ([{"time": "yesterday"}], 201), ([], 400)],
)
def test_managed_fields_with_an_unreadable_entry_count_as_none_in_an_apply(entries: object, code: int) -> None:
    job = servers.job("a", managedFields=entries)
    path = f"{servers.JOBS}/a?fieldManager=m"
    assert servers.ask(servers.api(), "PATCH", path, job, mediaType="application/apply-patch+yaml").code == code


def test_the_errors_of_list_options_are_in_the_order_of_the_server() -> None:
    query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
    refused = servers.ask(servers.api(servers.crd()), "GET", f"/api/v1/configmaps?{query}")
    fields = [cause["field"] for cause in refused.value["details"]["causes"]]
    assert (refused.code, fields) == (422, ["resourceVersionMatch", "sendInitialEvents"])


def test_each_answer_about_a_deprecated_kind_has_a_warning() -> None:
    server, path = servers.api(servers.crd()), "/api/v1/namespaces/default/endpoints"
    deprecated = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
    answers = [
        servers.ask(server, "POST", path, {"metadata": {"name": "a"}}),
        servers.ask(server, "POST", path, {"metadata": {"name": "_"}}),
        servers.ask(server, "GET", f"{path}/none"),
        servers.ask(server, "GET", path),
        servers.ask(server, "DELETE", f"{path}/a"),
    ]
    assert [answer.code for answer in answers] == [201, 422, 404, 200, 200]
    assert {answer.warnings for answer in answers} == {(deprecated,)}
