"""
HTTP API of a server, without I/O: it takes a request and returns a response or a watch.

`Api` checks users, and `ResourceRequests` answers requests for resources. All state is in the store.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Final

from pytest_crd.engine import profile
from pytest_crd.engine.api.context import Webhooks
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.formats import durationformat
from pytest_crd.engine.registry.request import User
from pytest_crd.server import (
    encoding,
    expiry,
    generalpaths,
    storeddefinitions,
)
from pytest_crd.server.authorization import refusals
from pytest_crd.server.authorization.accesscontrol import AccessControl
from pytest_crd.server.authorization.refusals import ForbiddenError
from pytest_crd.server.builtin import initialobjects, unservedkinds
from pytest_crd.server.controllers import garbagecollector
from pytest_crd.server.controllers.garbagecollector import GarbageCollector
from pytest_crd.server.controllers.workloads import HELD
from pytest_crd.server.http import requestinfo, statuses
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.http.requestinfo import IncompletePathError, RequestInfo
from pytest_crd.server.http.statuses import ApiError, NotFoundPageError, PageError
from pytest_crd.server.http.users import Users
from pytest_crd.server.resourcecatalog import ServerCatalog
from pytest_crd.server.resourcerequests import ResourceRequests
from pytest_crd.server.simulatedworkloads import SimulatedWorkloads
from pytest_crd.server.special.tokens import IssuedTokens
from pytest_crd.server.store.store import HISTORY, Store
from pytest_crd.server.watching import Reply

# The subresource whose path continues.
_PROXY: Final = "proxy"
# Whether requests of a verb name an object in the URL.
_PLACES: Final = {"create": False, "update": True, "patch": True}
# Default timeout of a watch, in seconds.
_WATCH_TIMEOUT: Final = 1800.0
_NOT_FOUND: Final = "404 page not found\n"
_REFUSALS: Final = (ApiError, PageError, NotFoundPageError)


class Api:
    """
    API of a server with CRDs and their custom resources.

    Attributes:
        store: The stored objects.
        catalog: The served resources.
        profile: The reproduced Kubernetes version.
        token: The bearer token of the administrator; empty if requests need none.
        access: The users, and the decisions about their requests.
        tokens: The tokens of ServiceAccounts.
        workloads: The workloads with simulated statuses; None if none are simulated.
        on_collection: Called with each request of the garbage collector and its answer; None without a listener.
    """

    def __init__(  # noqa: PLR0913 - the settings of a server
        self,
        crds: Sequence[CustomResourceDefinition] = (),
        *,
        kubernetes_version: str = profile.DEFAULT,
        token: str = "",
        history: int = HISTORY,
        address: str = "127.0.0.1",
        webhooks: Webhooks | None = None,
        has_service_accounts: bool = False,
        collects_garbage: bool = False,
        enforces_owners: bool = False,
        simulates_workloads: bool = False,
    ) -> None:
        """
        Start with stored CRDs and the objects of a new cluster.

        Args:
            crds: The CRDs.
            kubernetes_version: The reproduced Kubernetes version.
            token: The bearer token of the administrator; empty if requests need none.
            history: The number of changes kept for watches.
            address: The host and port that the server reports as its own.
            webhooks: The webhooks that the server calls; None if it calls none.
            has_service_accounts: Whether each namespace gets its ServiceAccount `default`.
            collects_garbage: Whether objects without owners are deleted, as by kube-controller-manager.
            enforces_owners: Whether the admission plugin OwnerReferencesPermissionEnforcement is on.
            simulates_workloads: Whether workloads get the statuses that controllers and kubelets write in the end.

        Raises:
            UnknownVersionError: The Kubernetes version is unknown.
            NotAcceptedError: A server refuses one of the CRDs.
        """
        self.profile = profile.named(kubernetes_version)
        self.store = Store(history, garbagecollector.INDEXERS if collects_garbage else storeddefinitions.INDEXERS)
        self.workloads = SimulatedWorkloads(HELD) if simulates_workloads else None
        self.catalog = ServerCatalog(
            self.store,
            self.profile,
            crds,
            webhooks,
            has_service_accounts=has_service_accounts,
            enforces_owners=enforces_owners,
            workloads=self.workloads,
        )
        self.token = token
        self._collects_garbage = collects_garbage
        self._connect()
        self.address = address

    def _connect(self) -> None:
        """Serve the store, and keep its state as the one at the start."""
        self.on_collection: Callable[[HTTPRequest, HTTPAnswer], None] | None = None
        self._collector: GarbageCollector | None = None
        self._start_collector()
        self.store.clock.listen(functools.partial(expiry.expire, self.store))
        self.tokens = IssuedTokens(self.store)
        users = Users(self.token, self.tokens.find_user)
        self.access = AccessControl(users, self.catalog.authorizer, self.profile)
        self._resources = ResourceRequests(self.store, self.catalog, self.tokens, users.find_added, self._settle)
        self.keep()

    def _start_collector(self) -> None:
        if self._collects_garbage:
            self._collector = GarbageCollector(self.store, self.catalog, self._answer_collector)

    def fork(self) -> Api:
        """
        Return a server in the same state: it costs the same for any number of objects.

        A request to one of the servers does not change the other one. The new one has no listeners and no issued tokens.
        """
        fork = copy.copy(self)
        with self.store.lock:
            fork.store = self.store.fork()
            fork.workloads = None if self.workloads is None else SimulatedWorkloads(HELD)
            fork.catalog = self.catalog.fork(fork.store, fork.workloads)
        fork._connect()  # noqa: SLF001 - of the same class
        return fork

    def keep(self) -> None:
        """Take the present state for the one at the start, to which `reset` returns."""
        self._start = self.store.fork()

    @property
    def address(self) -> str:
        """The host and port that the server reports as its own."""
        return self._address

    @address.setter
    def address(self, address: str) -> None:
        self._address = address
        initialobjects.store(self.store, address)

    def reset(self) -> None:
        """Return to the state at the start; watches and pages of lists from before expire."""
        with self.store.lock:
            self.store.restore(self._start)
            if self.workloads is not None:
                self.workloads.clear()
            self.catalog.restart()
            self._start_collector()
            self.address = self._address

    def request_names(self) -> frozenset[str]:
        """Return the names of all resources and subresources, with and without their groups."""
        return self.catalog.request_names()

    def close(self) -> None:
        """Close the connections to webhooks."""
        self.catalog.close()

    def answer(self, request: HTTPRequest) -> Reply:
        """Return the answer to a request."""
        with self.store.clock.active():
            try:
                info = _info_of(request)
                user = self._find_user(request, info)
                if info is None or request.path.startswith("//"):
                    return self._answer_general(request)
                return self._resources.answer(request._replace(user=user), info)
            except _REFUSALS as error:
                return self._refuse(request, error)

    def _answer_collector(self, request: HTTPRequest) -> None:
        """Answer a request of the garbage collector, which may do everything whatever roles a project has."""
        info = _info_of(request)
        assert info is not None  # noqa: S101 - the collector names objects
        try:
            reply = self._resources.answer(request, info)
        except _REFUSALS as error:
            reply = self._refuse(request, error)
        assert isinstance(reply, HTTPAnswer)  # noqa: S101 - the collector watches nothing
        if self.on_collection is not None:
            self.on_collection(request, dataclasses.replace(reply, unvalidated="", unenforced=""))

    def _refuse(self, request: HTTPRequest, error: ApiError | PageError | NotFoundPageError) -> HTTPAnswer:
        """Return the answer to a refused request."""
        if isinstance(error, ApiError):
            return _failed(request, error)
        if isinstance(error, PageError):
            return encoding.page(error.code, str(error))
        kind = unservedkinds.find_kind(_info_of(request))
        if request.path.startswith(self.catalog.built_in_prefixes()):
            return dataclasses.replace(_failed(request, statuses.no_such_path()), unserved=kind)
        return dataclasses.replace(encoding.page(404, _NOT_FOUND), unserved=kind)

    def _find_user(self, request: HTTPRequest, info: RequestInfo | None) -> User:
        """
        Return the user that a request of a client acts as; probes without a token need none.

        Raises:
            ApiError, PageError: The user may not send the request, or its timeout is malformed.
        """
        is_anonymous = self.access.users.are_known and "authorization" not in request.headers
        if is_anonymous and generalpaths.is_probe(request.path):
            return request.user
        user = self.access.authenticate(request)
        _demand_timeout(request, info)
        return self.access.authorize(user, request, info)

    def _answer_general(self, request: HTTPRequest) -> HTTPAnswer:
        """
        Return the answer to a request that names no resource.

        Raises:
            ApiError, NotFoundPageError: The request is refused.
        """
        if generalpaths.is_probe(request.path):
            return encoding.page(200, "ok")
        if request.path.startswith("//"):
            raise NotFoundPageError
        return generalpaths.answer(request, self.catalog, self.address)

    def settle(self) -> None:
        """Run the controllers, as after a write."""
        with self.store.clock.active():
            self._settle()

    def _settle(self) -> None:
        with self.store.lock:
            self.catalog.settle()
        if self._collector is not None:
            self._collector.run()


def _info_of(request: HTTPRequest) -> RequestInfo | None:
    """
    Return the resource that a request names, or None if its path names no resource.

    Raises:
        PageError: The path is malformed, or ends where it should name a resource.
    """
    if request.has_bad_escape:
        raise PageError(400, "400 Bad Request")
    try:
        return requestinfo.parse(request.method, request.path)
    except IncompletePathError:
        problem = f"unable to determine kind and namespace from url, {request.path}"
        text = f'Internal Server Error: "{request.path}": failed to create RequestInfo: {problem}\n'
        raise PageError(500, text) from None


def _failed(request: HTTPRequest, error: ApiError) -> HTTPAnswer:
    answer = encoding.failed(request, error)
    if isinstance(error, ForbiddenError):
        return dataclasses.replace(answer, forbidden=refusals.summarize(error.attributes))
    return answer


def _demand_timeout(request: HTTPRequest, info: RequestInfo | None) -> None:
    """
    Check the `timeout` parameter of a request other than a watch.

    Raises:
        ApiError: 400: it is not a duration.

    Reference:
        apiserver endpoints/filters/request_deadline.go, parseTimeout.
    """
    timeout = request.query.first("timeout")
    if not timeout or request.verb_of(info) == "watch":
        return
    if problem := durationformat.find_go_problem(timeout):
        raise statuses.bad_request(f"invalid timeout specified in the request URL - {problem}")
