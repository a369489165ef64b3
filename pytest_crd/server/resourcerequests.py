"""Requests for resources: the checks of their URLs, and the answers by verb."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from typing import Final

from pytest_crd.engine.errors import refusal
from pytest_crd.engine.registry import response
from pytest_crd.engine.registry.request import User
from pytest_crd.server import deleteadmission, deleting, encoding, listoptions, reads, writes
from pytest_crd.server.authorization import ownerpermission
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.http.statuses import ApiError, NotFoundPageError
from pytest_crd.server.representation import Representation
from pytest_crd.server.resourcecatalog import ServerCatalog
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.special import specialrequests
from pytest_crd.server.special.specialcontext import SpecialContext
from pytest_crd.server.special.specialrequests import Special
from pytest_crd.server.special.tokens import IssuedTokens
from pytest_crd.server.store.store import Store
from pytest_crd.server.watching import Reply, Stream, Watch

# The subresource with a path of its own behind it.
_PROXY: Final = "proxy"
# Whether requests of a verb name an object in the URL.
_PLACES: Final = {"create": False, "update": True, "patch": True}
# Default timeout of a watch, in seconds.
_WATCH_TIMEOUT: Final = 1800.0


class ResourceRequests:
    """The requests for the resources of a server, from users that may send them."""

    def __init__(
        self,
        store: Store,
        catalog: ServerCatalog,
        tokens: IssuedTokens,
        find_user: Callable[[str], User | None],
        settle: Callable[[], None],
    ) -> None:
        """
        Create for a server.

        Args:
            store: The stored objects.
            catalog: The served resources.
            tokens: The tokens of ServiceAccounts.
            find_user: Returns the user of another token; None if it is unknown.
            settle: Runs the controllers.
        """
        self._store = store
        self._catalog = catalog
        self._profile = catalog.profile
        self._tokens = tokens
        self._find_user = find_user
        self._settle = settle
        self._verbs: dict[str, Callable[[HTTPRequest, RequestInfo, ResourceType], Reply]] = {
            "get": self._get,
            "list": self._list,
            "watch": self._list,
            "create": self._write,
            "update": self._write,
            "patch": self._write,
            "delete": self._delete,
            "deletecollection": self._delete_collection,
        }

    def answer(self, request: HTTPRequest, info: RequestInfo) -> Reply:
        """
        Return the answer to a request.

        Raises:
            ApiError, NotFoundPageError: The request is refused.
        """
        type_ = self._catalog.find_type(info.group, info.version, info.resource)
        if type_ is None:
            raise NotFoundPageError
        if not _is_in_scope(type_, info):
            raise statuses.no_such_path() if type_.is_typed else NotFoundPageError
        try:
            self._demand_resource(request, info, type_)
            if (special := specialrequests.find(type_, info)) is not None:
                return self._answer_special(special, request, info, type_)
            return self._verbs[info.verb](request, info, type_)
        except ApiError as error:
            error.warnings = error.warnings or type_.warnings
            raise

    def _demand_resource(self, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> None:
        """
        Check the subresource, the verb and the size of a request.

        Raises:
            ApiError: 404, 405, 406 or 413.
        """
        is_below = info.has_more and type_.is_typed and info.subresource != _PROXY
        if not type_.has(info.subresource) or is_below:
            raise statuses.no_such_path() if type_.is_typed else statuses.not_found(type_.requested, info.name)
        if type_.is_typed:
            self._demand_route(request, info, type_)
        if not self._allows(type_, info):
            raise statuses.method_not_allowed(info.verb, type_.resource)
        if len(request.body) > refusal.MOST_BYTES:
            raise statuses.too_large()

    def _demand_route(self, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> None:
        """Raise ApiError if a server of built-in kinds has no route for a request; it checks this first."""
        if info.name and not type_.is_stored:
            raise statuses.no_such_path()
        is_misplaced = info.verb in _PLACES and bool(info.name) != (_PLACES[info.verb] or bool(info.subresource))
        if is_misplaced or not self._allows(type_, info):
            raise statuses.no_such_method()
        is_list = info.verb in ("list", "watch") and not info.name
        negotiation.demand_representation(request, (*negotiation.ACCEPTED, *(negotiation.WATCHED if is_list else ())))

    def _allows(self, type_: ResourceType, info: RequestInfo) -> bool:
        if info.subresource:
            return any(sub.name == info.subresource and info.verb in sub.verbs for sub in type_.subresources)
        return info.verb in type_.verbs

    def _answer_special(self, special: Special, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> Reply:
        representation = Representation(request, type_)
        context = SpecialContext(self._store, self._tokens, self._delete, self._find_user, [])
        try:
            with self._settling():
                value = special(context, request, info, type_)
        except ApiError as error:
            error.warnings = error.warnings or tuple(context.warnings)
            raise
        if isinstance(value, str):
            return encoding.page(200, value)
        return representation.answer_object(201, value, warnings=(*context.warnings,), is_whole=True)

    def _get(self, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> Reply:
        representation = Representation(request, type_)
        version = request.query.first("resourceVersion")
        entry = reads.get(self._store, type_, info.namespace, info.name, version)
        object_ = type_.scale(entry) if info.subresource == "scale" else type_.read(entry)
        return representation.answer_object(200, object_)

    def _list(self, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> Reply:
        if info.verb == "list" and self._profile.negotiates_lists_first:
            Representation(request, type_)
        options = listoptions.read(request.query, self._profile, is_watch=info.verb == "watch")
        if info.name:  # the path of a watch of one object
            options = options._replace(fields=(*options.fields, listoptions.name_term(info.name)))
        if options.is_watch:
            return self._watch(request, info, type_, options)
        representation = Representation(request, type_)
        return representation.answer_page(reads.page(self._store, type_, info.namespace, options))

    def _watch(
        self, request: HTTPRequest, info: RequestInfo, type_: ResourceType, options: listoptions.ListOptions
    ) -> Stream:
        representation = Representation(request, type_)
        watch = Watch(self._store, type_, info.namespace, options, shows_none=representation.is_metadata_list)
        return representation.stream(watch, float(options.timeout or _WATCH_TIMEOUT))

    def _write(self, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> Reply:
        if info.verb == "patch":
            writes.demand_patch_type(request, type_)
        if not info.name and info.verb != "create":
            raise statuses.bad_request("name must be provided")
        representation = Representation(request, type_)
        with self._settling():
            written = writes.write(self._store, type_, info, request, self._catalog.admission(type_, info))
        ownerpermission.note_needs(self._catalog.authorizer, self._catalog, request.user, info.namespace, written.value)
        answer = representation.answer_object(written.code, written.value, written=written)
        unenforced = type_.find_unenforced(written.value)
        return dataclasses.replace(answer, unenforced=unenforced) if unenforced else answer

    def _delete(self, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> Reply:
        representation = Representation(request, type_)
        options = deleting.read(request, type_)
        entry = reads.get(self._store, type_, info.namespace, info.name)
        self._catalog.demand_deletable(type_, entry)
        with self._settling():
            deletion = deleteadmission.delete(self._store, type_, entry.key, options, user=request.user)
        if deletion is None:
            raise statuses.not_found(type_.requested, info.name)
        is_status = deletion.value.get("kind") == "Status"
        warnings = (*type_.warnings, *deletion.warnings)
        return representation.answer_object(200, deletion.value, warnings=warnings, is_whole=is_status)

    def _delete_collection(self, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> Reply:
        representation = Representation(request, type_)
        options = listoptions.read(request.query, self._profile)
        delete_options = deleting.read(request, type_)
        deleting.demand_safe(delete_options)
        page = reads.page(self._store, type_, info.namespace, options)
        warnings: list[str] = []
        with self._settling():
            for metadata in [object_["metadata"] for object_ in page.items]:
                key = type_.key(metadata.get("namespace", ""), metadata["name"])
                deletion = deleteadmission.delete(
                    self._store, type_.collected, key, delete_options, user=request.user, is_named=False
                )
                warnings += deletion.warnings if deletion is not None else ()
        return representation.answer_page(page, warnings=response.limit_warnings(warnings))

    @contextlib.contextmanager
    def _settling(self) -> Iterator[None]:
        """Run the controllers after writes, also after those before a failed one."""
        try:
            yield
        finally:
            self._settle()


def _is_in_scope(type_: ResourceType, info: RequestInfo) -> bool:
    """Return whether a URL has a namespace exactly if the resource is namespaced; lists of a namespaced resource may omit it."""
    is_everywhere = info.verb in ("list", "watch") and not info.name
    return bool(info.namespace) == type_.is_namespaced or (type_.is_namespaced and is_everywhere)
