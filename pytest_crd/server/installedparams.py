"""Params of admission policies on a server: objects of a project and of a test."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_crd.engine.api.context import ConversionWebhooks, GivenParamError, Webhooks
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.server import installing
from pytest_crd.server.api import Api
from pytest_crd.server.installedpolicies import InstalledPolicies


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


def install(api: Api, objects: Sequence[Manifest], given: Sequence[Resource]) -> None:
    """
    Store the objects of a project and of a test.

    An object of the test replaces an object of the project with its kind and name.

    Raises:
        GivenParamError: The server refuses an object of the test, or does not serve its kind.
        ManifestError: The server refuses objects of the project, or does not serve their kinds.
    """
    replaced = {_identify(value) for value in given}
    InstalledPolicies(api, [item for item in objects if _identify(item.value) not in replaced])
    for index, value in enumerate(given):
        if problem := _store(api, value):
            raise GivenParamError(index, problem)


def _identify(value: Resource) -> tuple[str, ...]:
    """Return group, kind, namespace and name of an object."""
    metadata, group = value.get("metadata") or {}, str(value.get("apiVersion")).rpartition("/")[0]
    names = (metadata.get("namespace") or installing.DEFAULT_NAMESPACE, metadata.get("name"))
    return tuple(str(part) for part in (group, value.get("kind"), *names))


def _store(api: Api, value: Resource) -> str:
    """Store an object, and return the reason why it cannot be stored; empty if it is."""
    type_ = installing.find_type(api, value["apiVersion"], value["kind"])
    if type_ is None or not type_.is_stored:
        return f"Kubernetes {api.profile.version} does not serve {value['kind']} of {value['apiVersion']}"
    return installing.create(api, type_, value)
