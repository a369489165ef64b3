"""Conditions of a CRD that follow from the CRD alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_crd.engine.crds import apiapproval, cabundle, internal, nameconflicts
from pytest_crd.engine.crds.condition import Condition
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.crds.internal import InternalCrd
from pytest_crd.engine.crds.nameconflicts import Naming
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import nonstructural
from pytest_crd.engine.schema.structural import UnsupportedConstructError


def compute(crd: InternalCrd, profile: Profile, naming: Naming = nameconflicts.NO_CONFLICTS) -> tuple[Condition, ...]:
    """
    Return the conditions of an accepted CRD after the server's controllers have run.

    Args:
        crd: The defaulted CRD in its internal form.
        profile: The Kubernetes version.
        naming: The accepted names, if other CRDs share the group.

    Returns:
        The conditions. A server may swap the last two, because their controllers run concurrently.

    Reference:
        apiextensions-apiserver controller: status, establish, nonstructuralschema, apiapproval.
    """
    conditions = (
        Condition("NamesAccepted", "True" if naming.is_accepted else "False", naming.reason, naming.message),
        established(crd, profile, naming),
        non_structural_schema(internal.declared(crd), profile),
        api_approval(crd, profile),
    )
    return tuple(condition for condition in conditions if condition is not None)


def established(crd: InternalCrd, profile: Profile, naming: Naming = nameconflicts.NO_CONFLICTS) -> Condition:
    """
    Return the condition `Established`: whether the server serves the CRD.

    Reference:
        apiextensions-apiserver controller/establish and controller/status.
    """
    if not naming.is_accepted:
        return Condition("Established", "False", "NotAccepted", "not all names are accepted")
    config = (crd.spec.get("conversion") or {}).get("webhookClientConfig") or {}
    if profile.checks_ca_bundles and cabundle.problem_of(config.get("caBundle") or ""):
        return Condition("Established", "False", "InvalidCABundle", "The conversion webhook CABundle is invalid")
    return Condition("Established", "True", "InitialNamesAccepted", "the initial names have been accepted")


def is_established(crd: InternalCrd, status: Mapping[str, JSONValue], profile: Profile) -> bool:
    """Return whether the server serves a stored CRD with this *status*; without conditions, whether it will."""
    for condition in status.get("conditions") or ():
        if condition.get("type") == "Established":
            return bool(condition.get("status") == "True")
    return established(crd, profile).status == "True"


def api_approval(crd: InternalCrd, profile: Profile) -> Condition | None:
    """
    Return the condition about the API approval of a CRD; None unless its group is protected.

    Reference:
        KEP-1111; apiextensions-apiserver controller/apiapproval, calculateCondition.
    """
    if not apiapproval.is_protected(crd.spec.get("group", "")):
        return None
    approval, message = apiapproval.find_state(crd.metadata, profile)
    status = "True" if approval is apiapproval.Approval.APPROVED else "False"
    return Condition("KubernetesAPIApprovalPolicyConformant", status, approval.value, message)


def non_structural_schema(spec: CrdSpec, profile: Profile) -> Condition | None:
    """
    Return the condition about schemas that are not structural; None if all are structural.

    Args:
        spec: The CRD.
        profile: The Kubernetes version.

    Reference:
        KEP-2335; apiextensions-apiserver controller/nonstructuralschema, calculateCondition.
    """
    try:
        errors = list(_violations(spec, profile))
    except UnsupportedConstructError as error:
        return Condition("NonStructuralSchema", "Unknown", "StructuralError", str(error))
    if not errors:
        return None
    return Condition("NonStructuralSchema", "True", "Violations", fielderror.aggregate(errors))


def _violations(spec: CrdSpec, profile: Profile) -> Iterator[FieldError]:
    if spec.preserve_unknown_fields:
        path = FieldPath(("spec", "preserveUnknownFields"))
        yield fielderror.invalid(path, spec.preserve_unknown_fields, "must be false")
    for version in spec.versions:
        if version.schema is None:
            continue
        try:
            schema = version.schema.structural
        except UnsupportedConstructError as error:
            message = f"failed to check validation schema for version {version.name}: {error}"
            raise UnsupportedConstructError(message) from None
        if nonstructural.find_violations not in version.schema.accepted:
            yield from nonstructural.find_violations(schema, version.condition_path, profile)
