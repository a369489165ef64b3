"""
Names and words of lints.

The setting `crd_lints`, failures, SARIF and the table of lints on the page of checks are made from these records. `lints` has the
function of each.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Lint(NamedTuple):
    """
    Name and words of a lint.

    Attributes:
        name: The name in `crd_lints`.
        short: A description of a mistake, in a few words.
        full: A sentence with the reason why it matters.
        help: Advice.
        heading: The reason and the advice in a failure, in a few words.
    """

    name: str
    short: str
    full: str
    help: str
    heading: str


LINTS: Final = (
    Lint(
        "ssatags",
        "A list without `x-kubernetes-list-type`",
        "Server-side apply treats such a list as atomic, so two managers overwrite each other.",
        "`x-kubernetes-list-type: map` with `x-kubernetes-list-map-keys`, `set`, or an explicit `atomic`.",
        "server-side apply replaces these lists as a whole; say x-kubernetes-list-type",
    ),
    Lint(
        "statussubresource",
        "A status without its subresource",
        "Clients that write the spec can also write the status.",
        "Add `subresources: {status: {}}` to the version.",
        "whoever writes the spec can write the status; add subresources: {status: {}}",
    ),
    Lint(
        "statusoptional",
        "A status, or a field of it, is required",
        "A new object has no status, and a controller must be able to write a part of it.",
        "Remove it from `required`.",
        "a controller must be able to write parts of a status; remove them from required",
    ),
    Lint(
        "maxlength",
        "A string, list or map without a bound under a CEL rule",
        "The cost of a rule is estimated for the largest value that a request can hold.",
        "Set `maxLength`, `maxItems` or `maxProperties`.",
        "rules over values without a bound cost the most; set one",
    ),
    Lint(
        "preserveunknownfields",
        "`x-kubernetes-preserve-unknown-fields` beside properties",
        "The server stores misspelt fields without a warning.",
        "Remove it, or use a separate field for arbitrary content.",
        "nothing is dropped or refused beside these properties; remove x-kubernetes-preserve-unknown-fields",
    ),
    Lint(
        "applysize",
        "The CRD is too large for `kubectl apply`",
        "`kubectl apply` keeps the last applied object in an annotation, which holds at most 256 KiB.",
        "Use `kubectl apply --server-side`, or remove descriptions.",
        "too large for kubectl apply; use --server-side, or leave descriptions out",
    ),
    Lint(
        "booleannames",
        "A property name that YAML reads as a boolean",
        "Without quotes `y`, `n`, `on` and `off` become `true` and `false`.",
        "Give the property another name.",
        "users must quote these names; give them others",
    ),
    Lint(
        "unreachabledefault",
        "A default in an optional object with nothing but defaults",
        "An object without the parent does not get the default, as the server sets defaults only in objects that are there. "
        "That may be intended.",
        "Write `default: {}` at the parent.",
        "objects without the parent do not get these defaults",
    ),
    Lint(
        "requireddefault",
        "A required field with a default",
        "The server sets the default first, so the field is never absent and `required` has no effect.",
        "Remove the field from `required`, or remove the default.",
        "the default is set first, so that these fields are never absent; remove one",
    ),
    Lint(
        "goduration",
        "A duration that Go does not read",
        "The format `duration` accepts `2d` and `1w`, and `time.ParseDuration` of Go refuses them.",
        "Add a `pattern` such as `^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$`, or an enum.",
        "time.ParseDuration of Go reads no days and weeks; write a pattern",
    ),
)
