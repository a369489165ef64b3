"""
The order of the validation of a built-in object, for the kinds that are validated.

Reference:
    apiserver registry/rest/create.go, ValidateCreate; update.go, ValidateUpdate; validate.go, ValidateDeclarativelyWithMigrationChecks.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.metadata import objectmetarules, objectmetavalidation
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.validatedwrites import KindValidation, ValidatedWrite


def validate(kind: KindValidation, write: ValidatedWrite) -> list[FieldError]:
    """
    Return the errors of a write.

    Args:
        kind: The validation of its kind.
        write: The write.

    Errors:
        All types, in the server's order; those of map entries by sorted key, as the server's order is random.
    """
    write = kind.prepare(write)
    namespaced, profile = write.naming.namespaced, write.profile
    metadata = write.new["metadata"]
    if write.old is None:
        errors = kind.create(write) or validatedwrites.validate_metadata(write, objectmetarules.PATH_SEGMENT)
    else:
        errors = objectmetavalidation.validate_common_update(
            metadata, write.old["metadata"], namespaced=namespaced, profile=profile
        )
        errors += kind.update(write)
    errors = objectmetarules.distinct_errors(errors, profile)
    if kind.declared is None or not profile.declares_required_fields or not errors:
        return errors
    declared = kind.declared(write)
    replaced = {*map(_identify, declared)}
    return [*(error for error in errors if _identify(error) not in replaced), *declared]


def _identify(error: FieldError) -> tuple[str, str, str]:
    """Return the parts of an error that its replacement shares."""
    return error.type, error.field, error.detail if error.type == "Invalid" else ""


_ADMISSION: Final = "admissionregistration.k8s.io"
_RBAC: Final = "rbac.authorization.k8s.io"
# By resource, `plural` or `plural.group`: the module, and its constant with the validation of the kind.
KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "certificatesigningrequests.certificates.k8s.io": ("signingrequests", "KIND"),
    "configmaps": ("configmaps", "KIND"),
    "events": ("events", "KIND"),
    "events.events.k8s.io": ("events", "KIND"),
    "leases.coordination.k8s.io": ("leases", "KIND"),
    "namespaces": ("namespaces", "KIND"),
    "secrets": ("secrets", "KIND"),
    "serviceaccounts": ("serviceaccounts", "KIND"),
    "services": ("servicewarnings", "KIND"),
    "persistentvolumeclaims": ("persistentvolumeclaims", "KIND"),
    "horizontalpodautoscalers.autoscaling": ("autoscalers", "KIND"),
    "ingressclasses.networking.k8s.io": ("ingressclasses", "KIND"),
    "ingresses.networking.k8s.io": ("ingresses", "KIND"),
    "networkpolicies.networking.k8s.io": ("networkpolicies", "KIND"),
    "poddisruptionbudgets.policy": ("poddisruptionbudgets", "KIND"),
    "storageclasses.storage.k8s.io": ("storageclasses", "KIND"),
    "priorityclasses.scheduling.k8s.io": ("priorityclasses", "KIND"),
    "runtimeclasses.node.k8s.io": ("runtimeclasses", "KIND"),
    "pods": ("pods.podwrites", "KIND"),
    "podtemplates": ("workloads.podtemplates", "KIND"),
    "controllerrevisions.apps": ("controllerrevisions", "KIND"),
    "cronjobs.batch": ("workloads.cronjobs", "KIND"),
    "daemonsets.apps": ("workloads.daemonsets", "KIND"),
    "deployments.apps": ("workloads.deployments", "KIND"),
    "jobs.batch": ("workloads.jobs", "KIND"),
    "replicasets.apps": ("workloads.deployments", "REPLICA_SET"),
    "statefulsets.apps": ("workloads.statefulsets", "KIND"),
    f"mutatingadmissionpolicies.{_ADMISSION}": ("admissionpolicies", "KIND"),
    f"mutatingadmissionpolicybindings.{_ADMISSION}": ("admissionpolicies", "KIND"),
    f"validatingadmissionpolicies.{_ADMISSION}": ("admissionpolicies", "KIND"),
    f"validatingadmissionpolicybindings.{_ADMISSION}": ("admissionpolicies", "KIND"),
    f"mutatingwebhookconfigurations.{_ADMISSION}": ("webhookconfigurations", "KIND"),
    f"validatingwebhookconfigurations.{_ADMISSION}": ("webhookconfigurations", "KIND"),
    f"clusterroles.{_RBAC}": ("roles", "ROLE"),
    f"roles.{_RBAC}": ("roles", "ROLE"),
    f"clusterrolebindings.{_RBAC}": ("roles", "BINDING"),
    f"rolebindings.{_RBAC}": ("roles", "BINDING"),
}


def find(resource: str) -> KindValidation | None:
    """Return the validation of a resource, and import it; None if its objects are not validated."""
    if resource not in KINDS:
        return None
    module, name = KINDS[resource]
    kind: KindValidation = getattr(importlib.import_module(f"{__package__}.{module}"), name)
    return kind
