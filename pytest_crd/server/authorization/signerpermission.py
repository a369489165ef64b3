"""
The admission plugins CertificateApproval, CertificateSigning and ClusterTrustBundleAttest: permissions for the signers of certificates.

Reference:
    kubernetes plugin/pkg/admission/certificates: approval, signing and ctbattest; pkg/certauthorization.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.registry.admission import Admission, AdmissionRequest, Admitted
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server.authorization import escalation
from pytest_crd.server.authorization.accessattributes import AccessAttributes
from pytest_crd.server.authorization.authorizer import RoleAuthorizer

GROUP: Final = "certificates.k8s.io"
# By verb.
_WORDS: Final = {"approve": "approve requests with", "sign": "sign requests with", "attest": "attest for"}


class SignerAdmission(NamedTuple):
    """
    The checks of permissions for signers, followed by the other admission plugins of the server.

    Attributes:
        inner: The other plugins; None without any.
        authorizer: The authorizer.
    """

    inner: Admission | None
    authorizer: RoleAuthorizer

    def mutate(self, request: AdmissionRequest) -> Admitted:
        """Return the object after the mutating plugins; raise RefusedError if one refuses it."""
        return Admitted(request.object) if self.inner is None else self.inner.mutate(request)

    def validate(self, request: AdmissionRequest) -> Admitted:
        """Return the unchanged object and warnings; raise RefusedError if the user may not use the signer, or if a plugin refuses it."""
        verb, signer = _find_use(request)
        if signer and not self._may_use(request, verb, signer):
            plural, name = f"{request.resource}.{request.group}", _name(request)
            problem = f"user not permitted to {_WORDS[verb]} signerName {printing.quote(signer)}"
            subject = {"name": name, "group": request.group, "kind": request.resource}
            message = f"{plural} {printing.quote(name)} is forbidden: {problem}"
            raise RefusedError(Refusal(403, "Forbidden", message, subject=subject))
        return Admitted(request.object) if self.inner is None else self.inner.validate(request)

    def _may_use(self, request: AdmissionRequest, verb: str, signer: str) -> bool:
        names = (signer, f"{signer.partition('/')[0]}/*")
        questions = (AccessAttributes(request.user, verb, GROUP, "signers", name=name) for name in names)
        return any(self.authorizer.authorize(question, is_request=True).is_allowed for question in questions)


def _find_use(request: AdmissionRequest) -> tuple[str, str]:
    """Return the verb and the signer of a permission that a request needs; an empty signer without one."""
    new, old = request.object or {}, request.old_object or {}
    match (request.resource, request.subresource, request.operation):
        case ("certificatesigningrequests", "approval", "UPDATE"):
            return "approve", old["spec"]["signerName"]
        case ("certificatesigningrequests", "status", "UPDATE") if _signature(new) != _signature(old):
            return "sign", old["spec"]["signerName"]
        case ("clustertrustbundles", _, "CREATE"):
            return "attest", new["spec"].get("signerName", "")
        case ("clustertrustbundles", _, "UPDATE") if not escalation.changes_only_collection(new, old):
            return "attest", new["spec"].get("signerName", "")
        case _:
            return "", ""


def _signature(request: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the parts of a status that sign a request."""
    status = request.get("status") or {}
    return status.get("certificate"), status.get("conditions") or ()


def _name(request: AdmissionRequest) -> str:
    return str((request.object or {})["metadata"].get("name") or request.name)
