"""Parts of a server that special requests use."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.registry.admission import User
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.special.tokens import IssuedTokens
from pytest_crd.server.store.store import Store

SUCCESS: Resource = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


class SpecialContext(NamedTuple):
    """
    Parts of a server.

    Attributes:
        store: The stored objects.
        tokens: The issued tokens of ServiceAccounts.
        delete: Deletes the object that a request names.
        find_user: Returns the user of another token, such as the administrator's; None if it is unknown.
        warnings: Takes the warnings of admission plugins.
    """

    store: Store
    tokens: IssuedTokens
    delete: Callable[[HTTPRequest, RequestInfo, ResourceType], object]
    find_user: Callable[[str], User | None]
    warnings: list[str]
