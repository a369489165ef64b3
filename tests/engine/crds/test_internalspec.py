"""Fields of the internal form: the typed dictionaries match the Go types."""

from __future__ import annotations

from typing import get_type_hints

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds import decoded, internalspec, internaltypes
from pytest_crd.engine.golang import gotypes
from pytest_crd.engine.golang.gotypes import GoType, List, Pointer, Struct

NEWEST = profile.named("1.37")
SPEC = decoded.custom_resource_definition("v1beta1").fields["spec"]
STATUS = decoded.custom_resource_definition("v1").fields["status"]


def _struct(kind: GoType, *fields: str) -> Struct:
    """Return the struct that *fields* lead to, behind whatever points to it or lists it."""
    while not isinstance(kind, Struct):
        assert isinstance(kind, Pointer | List)
        kind = kind.to if isinstance(kind, Pointer) else kind.item
    return _struct(kind.fields[fields[0]], *fields[1:]) if fields else kind


@pytest.mark.parametrize(
    ("typed", "struct"),
    [
        (internalspec.InternalVersion, internaltypes.version(NEWEST)),
        (internalspec.Validation, _struct(internaltypes.validation(NEWEST))),
        (internalspec.InternalSubresources, _struct(internaltypes.SUBRESOURCES)),
        (internalspec.InternalScale, _struct(internaltypes.SUBRESOURCES, "scale")),
        (internalspec.Column, _struct(internaltypes.PRINTER_COLUMNS)),
        (internalspec.SelectableField, _struct(internaltypes.SELECTABLE_FIELDS)),
        # v1beta1 has the internal form, but for the name of one field of columns.
        (internalspec.Spec, _struct(SPEC)),
        (internalspec.InternalNames, _struct(SPEC, "names")),
        (internalspec.Conversion, _struct(SPEC, "conversion")),
        (internalspec.ClientConfig, _struct(SPEC, "conversion", "webhookClientConfig")),
        (internalspec.Service, _struct(SPEC, "conversion", "webhookClientConfig", "service")),
        (internalspec.Status, _struct(STATUS)),
        (internalspec.InternalCondition, _struct(STATUS, "conditions")),
    ],
)
def test_each_has_the_fields_of_the_api_with_their_types(typed: type, struct: Struct) -> None:
    python: dict[GoType, type] = {
        gotypes.STRING: str,
        gotypes.BOOL: bool,
        gotypes.INT32: int,
        gotypes.INT64: int,
        gotypes.BYTES: str,
        gotypes.TIME: str,
    }
    hints = get_type_hints(typed)
    assert hints.keys() == struct.fields.keys()
    for name, kind in struct.fields.items():
        if (scalar := python.get(kind)) is not None:
            assert hints[name] is scalar
