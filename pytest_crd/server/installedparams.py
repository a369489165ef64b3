"""Params of admission policies on a server: objects of a project and of a test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_crd.engine.api.context import ConversionWebhooks, GivenParamError, Webhooks
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.policies.definitions import Policy
from pytest_crd.server import installedpolicies, installing
from pytest_crd.server.api import Api


def start(crds: Sequence[CustomResourceDefinition], webhooks: Webhooks | None, profile: Profile) -> Api:
    """
    Return a new server without admission.

    Args:
        crds: The CRDs.
        webhooks: The webhooks that convert objects; None if there are none.
        profile: The Kubernetes version.

    Raises:
        NotAcceptedError: A server refuses one of the CRDs.
    """
    conversions = None if webhooks is None else ConversionWebhooks(webhooks)
    return Api(crds, kubernetes_version=profile.version, webhooks=conversions)


def install(api: Api, objects: Sequence[Manifest], given: Sequence[Resource], policies: Iterable[Policy]) -> None:
    """
    Store the objects of a project and of a test.

    An object of the test replaces an object of the project with its kind and name.

    Args:
        api: The server.
        objects: The objects of the project.
        given: The objects of the test.
        policies: The policies that read params.

    Raises:
        GivenParamError: The server refuses an object of the test, or does not serve its kind; or no policy reads objects of its kind.
        ManifestError: The server refuses objects of the project, or does not serve their kinds.
    """
    installedpolicies.install(api, find_unreplaced(objects, given))
    store_given(api, given, policies)


def store_given(api: Api, given: Sequence[Resource], policies: Iterable[Policy]) -> None:
    """
    Store the objects of a test.

    Args:
        api: The server.
        given: The objects.
        policies: The policies that read params.

    Raises:
        GivenParamError: The server refuses an object, or does not serve its kind; or no policy reads objects of its kind.
    """
    kinds = {
        group_kind(policy.param_kind.api_version, policy.param_kind.kind) for policy in policies if policy.param_kind
    }
    for index, value in enumerate(given):
        if problem := _store(api, value):
            raise GivenParamError(index, f"cannot be stored: {problem}")
        if group_kind(value["apiVersion"], value["kind"]) not in kinds:
            spelled = " and ".join(sorted(f"{kind} of {group or 'v1'}" for group, kind in kinds))
            problem = f"their params are {spelled}" if kinds else "they have no paramKind"
            raise GivenParamError(index, f"does nothing, as no policy reads it: {problem}")


def find_unreplaced(objects: Sequence[Manifest], given: Sequence[Resource]) -> list[Manifest]:
    """Return the objects of a project that no object of a test replaces."""
    replaced = {_identify(value) for value in given}
    return [item for item in objects if _identify(item.value) not in replaced]


def group_kind(api_version: str, kind: str) -> tuple[str, str]:
    """Return the group and the kind of objects."""
    return api_version.rpartition("/")[0], kind


def _identify(value: Resource) -> tuple[str, ...]:
    """Return group, kind, namespace and name of an object."""
    metadata = value.get("metadata") or {}
    names = (metadata.get("namespace") or installing.DEFAULT_NAMESPACE, metadata.get("name"))
    return tuple(str(part) for part in (*group_kind(str(value.get("apiVersion")), str(value.get("kind"))), *names))


def _store(api: Api, value: Resource) -> str:
    """Store an object, and return the reason why it cannot be stored; empty if it is."""
    type_ = installing.find_type(api, value["apiVersion"], value["kind"])
    if type_ is None or not type_.is_stored:
        return f"Kubernetes {api.profile.version} does not serve {value['kind']} of {value['apiVersion']}"
    return installing.create(api, type_, value)
