"""
Webhook configurations of a project: read from manifests, with defaults, and validated as the API server does.

A manifest that the server refuses is an error with its file and line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import NamedTuple

from pytest_crd.admission import strictdecoding
from pytest_crd.admission.matching.matchconditions import MatchCondition
from pytest_crd.admission.matching.matchcriteria import Criteria, RequestRule
from pytest_crd.engine.inputerror import InputError, Mistake
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.metadata import labelselectors
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.webhooks import configurationtypes, configurationvalidation
from pytest_crd.webhooks.configurationtypes import GROUP, KINDS, MUTATING, V1, V1BETA1


class WebhookConfigurationError(InputError):
    """Webhook configurations that the server refuses, or that exist twice."""


class Webhook(NamedTuple):
    """
    A webhook of a configuration, with defaults.

    Attributes:
        configuration: The name of the configuration.
        name: The name.
        uid: The name in its configuration, with a number if several webhooks share it.
        criteria: The criteria of requests.
        match_conditions: The match conditions.
        client_config: The `clientConfig`.
        failure_policy: `Fail` or `Ignore`.
        side_effects: `None`, `NoneOnDryRun`, and in v1beta1 `Some` or `Unknown`.
        timeout: The time limit in seconds.
        review_versions: The `admissionReviewVersions`.
        reinvocation_policy: `Never` or `IfNeeded`; `Never` for a validating webhook.
        source: The file of the configuration.
        line: The line of the webhook.
    """

    configuration: str
    name: str
    uid: str
    criteria: Criteria
    match_conditions: tuple[MatchCondition, ...]
    client_config: JSONObject
    failure_policy: str
    side_effects: str
    timeout: int
    review_versions: tuple[str, ...]
    reinvocation_policy: str
    source: str
    line: int


class Configurations(NamedTuple):
    """
    The webhooks of a project, in the order in which the server calls them.

    Attributes:
        mutating: The mutating webhooks.
        validating: The validating webhooks.

    Reference:
        apiserver admission/configuration/mutating_webhook_manager.go: by the names of the configurations.
    """

    mutating: tuple[Webhook, ...] = ()
    validating: tuple[Webhook, ...] = ()


class _Read(NamedTuple):
    kind: str
    name: str
    where: str
    webhooks: tuple[Webhook, ...]


def is_configuration(manifest: Manifest) -> bool:
    """Return whether a manifest is a webhook configuration of any API version."""
    return manifest.kind in KINDS and manifest.api_version.partition("/")[0] == GROUP


def read(manifests: Iterable[Manifest], profile: Profile) -> Configurations:
    """
    Return the webhooks of the configurations among *manifests*.

    Args:
        manifests: Manifests; those of other kinds are skipped.
        profile: The Kubernetes version.

    Raises:
        WebhookConfigurationError: Configurations are refused, or two have the same name; all of them at once.
    """
    mistakes: list[Mistake] = []
    configurations: dict[tuple[str, str], _Read] = {}
    for manifest in filter(is_configuration, manifests):
        try:
            configuration = _read(manifest, profile)
        except WebhookConfigurationError as error:
            mistakes += error.mistakes
            continue
        before = configurations.setdefault((configuration.kind, configuration.name), configuration)
        if before is not configuration:
            message = f"{configuration.kind} {configuration.name} is also in {before.where}: leave one of the two"
            mistakes.append(Mistake(manifest.source, manifest.line_of(), message))
    if mistakes:
        raise WebhookConfigurationError(mistakes)
    ordered = sorted(configurations.values(), key=attrgetter("name"))
    mutating = tuple(webhook for read in ordered if read.kind == MUTATING for webhook in read.webhooks)
    return Configurations(
        mutating, tuple(webhook for read in ordered if read.kind != MUTATING for webhook in read.webhooks)
    )


def _read(manifest: Manifest, profile: Profile) -> _Read:
    version = manifest.api_version.rpartition("/")[2]
    served = (V1, V1BETA1) if profile.serves_v1beta1 else (V1,)
    if version not in served:
        wanted = f"write {GROUP}/{V1}"
        raise _refused(manifest, (), f"Kubernetes {profile.version} does not serve {manifest.api_version}: {wanted}")
    decoded = _decode(manifest, version, profile)
    webhooks = [
        configurationtypes.defaulted(item or {}, manifest.kind, version) for item in decoded.get("webhooks") or ()
    ]
    errors = configurationvalidation.validate({**decoded, "webhooks": webhooks}, version, profile)
    mistakes = [
        Mistake(manifest.source, manifest.line_of(*(error.path.steps if error.path else ())), str(error))
        for error in errors
    ]
    if mistakes:
        raise WebhookConfigurationError(mistakes)
    name = decoded["metadata"]["name"]
    return _Read(manifest.kind, name, manifest.where, tuple(_webhooks(name, webhooks, manifest)))


def _decode(manifest: Manifest, version: str, profile: Profile) -> Mapping[str, JSONValue]:
    """Return the decoded manifest; unknown and duplicate fields are refused, as by `kubectl apply`."""
    type_ = configurationtypes.configuration(manifest.kind, version, profile)
    decoded, mistakes = strictdecoding.decode(manifest, type_)
    if mistakes:
        raise WebhookConfigurationError(mistakes)
    return decoded


def _webhooks(configuration: str, webhooks: Iterable[JSONObject], manifest: Manifest) -> Iterator[Webhook]:
    numbers: dict[str, int] = {}
    for index, webhook in enumerate(webhooks):
        name = webhook["name"]
        number = numbers[name] = numbers.get(name, -1) + 1
        yield Webhook(
            configuration=configuration,
            name=name,
            uid=f"{configuration}/{name}/{number}",
            criteria=Criteria(
                tuple(map(_rule, webhook["rules"])),
                webhook["matchPolicy"],
                labelselectors.requirements(webhook["namespaceSelector"]),
                labelselectors.requirements(webhook["objectSelector"]),
            ),
            match_conditions=tuple(
                MatchCondition(condition["name"], condition["expression"])
                for condition in webhook.get("matchConditions") or ()
            ),
            client_config=webhook["clientConfig"],
            failure_policy=webhook["failurePolicy"],
            side_effects=webhook["sideEffects"],
            timeout=webhook["timeoutSeconds"],
            review_versions=tuple(webhook["admissionReviewVersions"]),
            reinvocation_policy=webhook.get("reinvocationPolicy", "Never"),
            source=manifest.source,
            line=manifest.line_of("webhooks", index),
        )


def _rule(rule: JSONObject) -> RequestRule:
    operations, groups, versions, resources = (
        tuple(rule[field]) for field in ("operations", "apiGroups", "apiVersions", "resources")
    )
    return RequestRule(operations, groups, versions, resources, rule["scope"])


def _refused(manifest: Manifest, path: tuple[str | int, ...], message: str) -> WebhookConfigurationError:
    return WebhookConfigurationError([Mistake(manifest.source, manifest.line_of(*path), message)])
