"""
Tokens of ServiceAccounts, and their reviews.

A token is a JSON Web Token with the claims of kube-apiserver. Its signature is random: only the server that issued it can verify it.

Reference:
    kubernetes pkg/registry/core/serviceaccount/storage/token.go; pkg/registry/authentication/tokenreview/storage.go.
"""

from __future__ import annotations

import base64
import json
import secrets
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from pytest_crd.engine.registry import usernames
from pytest_crd.engine.registry.admission import User
from pytest_crd.server import clock
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import ObjectKey, Store

# The issuer, which is the audience of tokens that name none, too.
ISSUER: Final = "https://kubernetes.default.svc"
_ACCOUNTS: Final = "serviceaccounts"
_SIGNATURE_BYTES: Final = 256
_EXTRA: Final = "authentication.kubernetes.io"
# The kinds of objects to which a token may be bound, with their resource.
BOUND_KINDS: Final = {"Pod": "pods", "Secret": "secrets", "Node": "nodes"}


class IssuedToken(NamedTuple):
    """
    Claims of a token.

    Attributes:
        id: The unique id.
        namespace: The namespace of the ServiceAccount.
        name: The name of the ServiceAccount.
        uid: The uid of the ServiceAccount.
        audiences: The audiences.
        expires: The end of its life.
        bound: The kind, name and uid of the object whose deletion ends it; empty if it is not bound.
    """

    id: str
    namespace: str
    name: str
    uid: str
    audiences: tuple[str, ...]
    expires: datetime
    bound: tuple[str, ...] = ()

    @property
    def user(self) -> User:
        """The user of requests with the token."""
        groups = (*usernames.service_account_groups(self.namespace), usernames.AUTHENTICATED)
        extra = {f"{_EXTRA}/credential-id": (f"JTI={self.id}",)}
        if self.bound:
            kind, name, uid = self.bound
            extra |= {f"{_EXTRA}/{kind.lower()}-name": (name,), f"{_EXTRA}/{kind.lower()}-uid": (uid,)}
        return User(usernames.service_account(self.namespace, self.name), self.uid, groups, extra)


class InvalidTokenError(Exception):
    """A token that authenticates no user; the message has the server's words."""


class IssuedTokens:
    """The tokens that a server has issued; safe to use from several threads."""

    def __init__(self, store: Store) -> None:
        """Create without tokens, for a store with ServiceAccounts."""
        self._store = store
        self._tokens: dict[str, IssuedToken] = {}
        self._key_id = secrets.token_urlsafe(32)
        self._lock = threading.Lock()

    def issue(
        self, account: Mapping[str, Any], audiences: Sequence[str], seconds: int, bound: tuple[str, ...] = ()
    ) -> tuple[str, datetime]:
        """
        Return a new token of a ServiceAccount and the end of its life.

        Args:
            account: The ServiceAccount.
            audiences: The audiences.
            seconds: The seconds of its life.
            bound: The kind, name and uid of the object to which it is bound.
        """
        metadata, now = account["metadata"], clock.now().replace(microsecond=0)
        token = IssuedToken(
            generatedvalues.uid(),
            metadata["namespace"],
            metadata["name"],
            metadata["uid"],
            tuple(audiences),
            now + timedelta(seconds=seconds),
            bound,
        )
        text = self._encode(token, now)
        with self._lock:
            self._tokens[text] = token
        return text, token.expires

    def _encode(self, token: IssuedToken, now: datetime) -> str:
        about: dict[str, Any] = {"namespace": token.namespace}
        if token.bound:
            kind, name, uid = token.bound
            about[kind.lower()] = {"name": name, "uid": uid}
        about["serviceaccount"] = {"name": token.name, "uid": token.uid}
        claims = {
            "aud": [*token.audiences],
            "exp": int(token.expires.timestamp()),
            "iat": int(now.timestamp()),
            "iss": ISSUER,
            "jti": token.id,
            "kubernetes.io": about,
            "nbf": int(now.timestamp()),
            "sub": token.user.username,
        }
        parts = [
            json.dumps(part, separators=(",", ":")).encode() for part in ({"alg": "RS256", "kid": self._key_id}, claims)
        ]
        return ".".join(map(_base64, (*parts, secrets.token_bytes(_SIGNATURE_BYTES))))

    def find_user(self, text: str) -> User | None:
        """Return the user of a token for this server; None if it is not valid."""
        try:
            return self.authenticate(text)[0]
        except InvalidTokenError:
            return None

    def authenticate(self, text: str, audiences: Sequence[str] = (ISSUER,)) -> tuple[User, tuple[str, ...]]:
        """
        Return the user of a token, and the audiences that it is for.

        Args:
            text: The token.
            audiences: The audiences that the caller accepts.

        Raises:
            InvalidTokenError: The token is unknown, expired, for other audiences, or its ServiceAccount or bound object is gone.
        """
        with self._lock:
            token = self._tokens.get(text)
        if token is None:
            raise InvalidTokenError("invalid bearer token")
        if token.expires <= clock.now():
            raise InvalidTokenError("[invalid bearer token, service account token has expired]")
        entry = self._store.get(ObjectKey(_ACCOUNTS, token.namespace, token.name))
        if entry is None or entry.value["metadata"]["uid"] != token.uid:
            raise InvalidTokenError("[invalid bearer token, service account token has been invalidated]")
        common = tuple(audience for audience in audiences if audience in token.audiences)
        if not common:
            quoted, target = (json.dumps([*items]).replace(", ", " ") for items in (token.audiences, audiences))
            problem = f"token audiences {quoted} is invalid for the target audiences {target}"
            raise InvalidTokenError(f"[invalid bearer token, {problem}]")
        self._demand_bound_object(token)
        return token.user, common

    def _demand_bound_object(self, token: IssuedToken) -> None:
        """
        Check that the object to which a token is bound still exists.

        Raises:
            InvalidTokenError: It does not.

        Reference:
            kubernetes pkg/serviceaccount/claims.go, validator.Validate.
        """
        if not token.bound:
            return
        kind, name, uid = token.bound
        entry = self._store.get(ObjectKey(BOUND_KINDS[kind], "" if kind == "Node" else token.namespace, name))
        if entry is None:
            raise InvalidTokenError("[invalid bearer token, service account token has been invalidated]")
        if (current := entry.value["metadata"]["uid"]) != uid:
            subject = kind if kind == "Pod" else kind.lower()
            problem = f"{subject} UID ({current}) does not match service account {kind.lower()} ref claim ({uid})"
            raise InvalidTokenError(f"[invalid bearer token, {problem}]")


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
