"""What differs in the language itself between the releases of cel-go, and with them between Kubernetes versions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """
    A release of the language.

    Attributes:
        escaped_identifiers: Whether the grammar has field names in backquotes.
        escapes_allowed: Whether they are taken.
        strict_code_points: Whether escapes of surrogates are refused.
        accumulator: Name of the accumulator of comprehensions, which expressions can say unless it begins with `@`.
        dots_leave_scopes: Whether a dot before a name looks past the variables of comprehensions.
        misformats: Whether percent signs in messages of syntax errors are taken for clauses of a format.
        second_variables_typed: Whether the second variable of a comprehension has a type where nothing is known of the range.
        ranges_keep_errors: Whether a comprehension with two variables ends in the error that its range ends in.
        estimates_entries: Whether estimates know the sizes of what literals and comprehensions are made of.
        structs_name_types: Whether what makes an object can only name a type; otherwise a variable is refused as none.
        lists_are_messages: Whether objects can be made of the type `list`, in vain.
        type_names_settled: Whether the names `list`, `map` and `optional_type` are told with dyn wherever they are told.
        optionals_nest: Whether an optional in an optional stays one where a name stands for it, or a conditional.
        has_loose_class_names: Whether regular expressions may call classes of Unicode by long names, and in any spelling.
        has_short_group_names: Whether `(?<name>` opens a group in them.
    """

    escaped_identifiers: bool = True
    escapes_allowed: bool = True
    strict_code_points: bool = True
    accumulator: str = "@result"
    dots_leave_scopes: bool = True
    misformats: bool = False
    second_variables_typed: bool = True
    ranges_keep_errors: bool = True
    estimates_entries: bool = True
    structs_name_types: bool = True
    lists_are_messages: bool = True
    type_names_settled: bool = True
    optionals_nest: bool = True
    has_loose_class_names: bool = True
    has_short_group_names: bool = True
