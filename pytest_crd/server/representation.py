"""
The form of an answer that a client asks for: the object, its metadata alone, or a table, as JSON, YAML or protobuf.

Reference:
    apiserver endpoints/handlers/response.go, transformObject; endpoints/handlers/negotiation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server import encoding, reads, resourcetypes
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.tables import tables
from pytest_crd.server.watching import Stream, Watch
from pytest_crd.server.writes import WriteOutcome

_TABLE, _METADATA, _METADATA_LIST = "Table", "PartialObjectMetadata", "PartialObjectMetadataList"
_SHAPES: Final = (_TABLE, _METADATA, _METADATA_LIST)


class Representation:
    """The negotiated form of the answer to a request for a resource."""

    def __init__(self, request: HTTPRequest, type_: ResourceType) -> None:
        """
        Negotiate the form.

        Args:
            request: The request.
            type_: The resource. The server holds objects without a Go type as maps, whose keys it sorts.

        Raises:
            ApiError: 406: the server has no form that the client accepts.
        """
        shapes = _SHAPES if type_.is_stored else ()
        form = negotiation.form_of(request, shapes, has_protobuf=type_.has_protobuf)
        self._form = form._replace(sorts_keys=not form.shape and not type_.is_typed)
        self._request = request
        self._type = type_

    @property
    def is_metadata_list(self) -> bool:
        """Whether the client asks for a list of metadata."""
        return self._form.shape == _METADATA_LIST

    def answer_object(
        self,
        code: int,
        object_: Resource,
        *,
        written: WriteOutcome | None = None,
        warnings: tuple[str, ...] | None = None,
        is_whole: bool = False,
    ) -> HTTPAnswer:
        """
        Return the answer with an object.

        Args:
            code: The HTTP code.
            object_: The object, a Scale or a Status.
            written: The outcome of the write; None for other requests.
            warnings: The warnings; None for those of the write or of the resource.
            is_whole: True for an object that is never shown as metadata or in a table.

        Raises:
            ApiError: 406: the client asks for a list.
        """
        if warnings is None:
            warnings = self._type.warnings if written is None else written.warnings
        form = self._form._replace(shape="") if is_whole else self._form
        if form.shape == _TABLE:
            version = object_["metadata"].get("resourceVersion")
            object_ = self._tabulate([object_], {"resourceVersion": version} if version else {})
        elif form.shape == _METADATA:
            object_ = tables.partial(object_, version=form.version)
        elif form.shape:
            error = self._refuse_list(object_)
            error.warnings = warnings
            raise error
        if object_["kind"] != self._type.names.kind:  # a Scale or a Status
            form = form._replace(sorts_keys=False)
        is_unvalidated = written is not None and not self._type.validates
        return encoding.answer(
            self._request,
            code,
            object_,
            form,
            warnings=warnings,
            dropped=() if written is None else written.dropped,
            unvalidated=self._type.names.kind if is_unvalidated else "",
        )

    def answer_page(self, page: reads.Page, warnings: Sequence[str] = ()) -> HTTPAnswer:
        """
        Return the answer with a page of a list, and further warnings.

        Raises:
            ApiError: 406: the client asks for the metadata of a single object.
        """
        return encoding.answer(
            self._request, 200, self._list(page), self._form, warnings=(*self._type.warnings, *warnings)
        )

    def stream(self, watch: Watch, timeout: float) -> Stream:
        """
        Return the answer to a watch.

        Args:
            watch: The watch.
            timeout: The seconds until it ends.

        Raises:
            ApiError: 406: the form has no stream; 400: the option `includeObject` is unknown.
        """
        negotiation.demand_stream(self._form)
        if self._form.shape == _TABLE:
            tables.demand_included(self._request.query.first("includeObject"))
        shared = None if self._form.shape else self._type
        return Stream(watch, timeout, self._shows(), shared, self._type.warnings, self._form)

    def _shows(self) -> Callable[[Resource], Resource]:
        """Return the function that converts the objects of a watch; only the first Table of a watch has column definitions."""
        if self._form.shape == _TABLE:
            heads = iter([True])

            def in_table(object_: Resource) -> Resource:
                metadata = {"resourceVersion": object_["metadata"]["resourceVersion"]}
                return self._tabulate([object_], metadata, heads=next(heads, False))

            return in_table
        if self._form.shape:
            return lambda object_: tables.partial(object_, version=self._form.version)
        return lambda object_: object_

    def _list(self, page: reads.Page) -> Resource:
        type_, form = self._type, self._form
        if form.shape == _METADATA:
            kind = resourcetypes.go_name(type_.api_version, type_.names.list_kind)
            shown_as = kind if type_.is_typed else "unstructured.UnstructuredList"
            raise statuses.wrong_shape(form.shape, f"is a list (*{shown_as})")
        metadata: dict[str, Any] = {"resourceVersion": str(page.revision)}
        if page.continuing:
            metadata["continue"] = page.continuing
        if page.remaining is not None:
            metadata["remainingItemCount"] = page.remaining
        if form.shape == _TABLE:
            return self._tabulate(page.items, metadata)
        if form.shape:
            return tables.partial_list(page.items, metadata, version=form.version)
        names = {"apiVersion": type_.api_version, "kind": type_.names.list_kind}
        if type_.is_typed:
            items = [{key: value for key, value in item.items() if key not in names} for item in page.items]
            return {"kind": names["kind"], "apiVersion": names["apiVersion"], "metadata": metadata, "items": items}
        return {**names, "items": page.items, "metadata": {"continue": page.continuing, **metadata}}

    def _tabulate(self, objects: list[Resource], metadata: Resource, *, heads: bool = True) -> Resource:
        include = self._request.query.first("includeObject")
        tables.demand_included(include)
        return tables.table(self._type, objects, metadata, version=self._form.version, include=include, heads=heads)

    def _refuse_list(self, object_: Resource) -> ApiError:
        """Return the error for a request that wants a single object in the shape of a list."""
        kind, type_ = object_["kind"], self._type
        if not type_.is_typed and kind == type_.names.kind:
            return statuses.failure(500, "", "content is not a list")
        name = resourcetypes.go_name(object_["apiVersion"], kind) if type_.is_typed else f"v1.{kind}"
        return statuses.wrong_shape(self._form.shape, f"is not a list (*{name})")
