"""
The order of the validation of a built-in object, for the kinds that are validated.

Reference:
    apiserver registry/rest/create.go, ValidateCreate; update.go, ValidateUpdate; validate.go, ValidateDeclarativelyWithMigrationChecks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.metadata import objectmetarules, objectmetavalidation
from pytest_crd.server.builtin.validation import (
    admissionpolicies,
    configmaps,
    events,
    leases,
    namespaces,
    roles,
    secrets,
    serviceaccounts,
    services,
    servicewarnings,
    validatedwrites,
    webhookconfigurations,
)
from pytest_crd.server.builtin.validation.validatedwrites import Validate, ValidatedWrite


def _without_warnings(_write: ValidatedWrite) -> tuple[str, ...]:
    return ()


class KindValidation(NamedTuple):
    """
    The validation of a kind.

    Attributes:
        create: Returns the errors of a new object.
        update: Returns the errors of an update, without those of all kinds.
        warnings: Returns the warnings about a valid object.
        declared: Returns errors that replace those of the same fields, and follow all others; None without any.
    """

    create: Validate
    update: Validate
    warnings: Callable[[ValidatedWrite], tuple[str, ...]] = _without_warnings
    declared: Validate | None = None


def validate(kind: KindValidation, write: ValidatedWrite) -> list[FieldError]:
    """
    Return the errors of a write.

    Args:
        kind: The validation of its kind.
        write: The write.

    Errors:
        All types, in the server's order; those of map entries by sorted key, as the server's order is random.
    """
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
    replaced = {(error.type, error.field) for error in declared}
    return [*(error for error in errors if (error.type, error.field) not in replaced), *declared]


_ROLE: Final = KindValidation(roles.validate_role, roles.validate_role_update, declared=roles.find_declared_of_role)
_BINDING: Final = KindValidation(
    roles.validate_binding, roles.validate_binding_update, declared=roles.find_declared_of_binding
)
_EVENT: Final = KindValidation(events.validate_create, events.validate_update)
_POLICY: Final = KindValidation(
    admissionpolicies.validate_create, admissionpolicies.validate_update, admissionpolicies.find_warnings
)
_WEBHOOKS: Final = KindValidation(
    webhookconfigurations.validate_create, webhookconfigurations.validate_update, webhookconfigurations.find_warnings
)
_ADMISSION: Final = "admissionregistration.k8s.io"
_RBAC: Final = "rbac.authorization.k8s.io"
# By resource: `plural` or `plural.group`.
KINDS: Final[Mapping[str, KindValidation]] = {
    "configmaps": KindValidation(configmaps.validate_create, configmaps.validate_update),
    "events": _EVENT,
    "events.events.k8s.io": _EVENT,
    "leases.coordination.k8s.io": KindValidation(leases.validate_create, leases.validate_update),
    "namespaces": KindValidation(namespaces.validate_create, namespaces.validate_update),
    "secrets": KindValidation(secrets.validate_create, secrets.validate_update, secrets.find_warnings),
    "serviceaccounts": KindValidation(
        validatedwrites.validate_core_metadata, serviceaccounts.validate_update, serviceaccounts.find_warnings
    ),
    "services": KindValidation(services.validate_create, services.validate_update, servicewarnings.find),
    f"mutatingadmissionpolicies.{_ADMISSION}": _POLICY,
    f"mutatingadmissionpolicybindings.{_ADMISSION}": _POLICY,
    f"validatingadmissionpolicies.{_ADMISSION}": _POLICY,
    f"validatingadmissionpolicybindings.{_ADMISSION}": _POLICY,
    f"mutatingwebhookconfigurations.{_ADMISSION}": _WEBHOOKS,
    f"validatingwebhookconfigurations.{_ADMISSION}": _WEBHOOKS,
    f"clusterroles.{_RBAC}": _ROLE,
    f"roles.{_RBAC}": _ROLE,
    f"clusterrolebindings.{_RBAC}": _BINDING,
    f"rolebindings.{_RBAC}": _BINDING,
}
