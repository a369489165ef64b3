"""What differs between Kubernetes versions in how expressions are read, what functions do, and what they cost."""

from __future__ import annotations

from typing import NamedTuple


class Dialect(NamedTuple):
    """
    The language as a server has it; what is not said of it is as in the newest one.

    Attributes:
    Reading:
        escaped_identifiers: Whether the grammar has field names in backquotes.
        escapes_allowed: Whether they are taken.
        strict_code_points: Whether escapes of surrogates are refused.
        accumulator: Name of the accumulator of comprehensions, which expressions can say unless it begins with `@`.
        misformats: Whether percent signs in messages of syntax errors are taken for clauses of a format.

    Types:
        dots_leave_scopes: Whether a dot before a name looks past the variables of comprehensions.
        second_variables_typed: Whether the second variable of a comprehension has a type where nothing is known of the range.
        structs_name_types: Whether what makes an object can only name a type; otherwise a variable is refused as none.
        lists_are_messages: Whether objects can be made of the type `list`, in vain.
        type_names_settled: Whether the names `list`, `map` and `optional_type` are told with dyn wherever they are told.
        ints_are_durations: Whether `duration(1)` is well typed, and fails.

    Values:
        ranges_keep_errors: Whether a comprehension with two variables ends in the error that its range ends in.
        optionals_nest: Whether an optional in an optional stays one where a name stands for it, or a conditional.
        optionals_take_others: Whether what is no optional counts as a value in `or` and `orValue`.
        lists_give_optionals: Whether lists have `first` and `last`, and `optional.unwrap` takes them.
        bounds_indices: Whether an empty text is found at the end of a text where it is looked for behind that.
        searches_empty: Whether an empty text may be searched from its end.
        spaced_exponents: Whether `%e` puts spaces around the sign of multiplication.
        bounds_ranges: Whether `lists.range` refuses to make more than a million numbers, and a negative depth of `flatten`
            costs what a depth of 1 does.

    Costs:
        estimates_entries: Whether estimates know the sizes of what literals and comprehensions are made of.
        affixes_by_length: Whether startsWith and endsWith cost by the text that is looked for, and not by the one it is
            looked for in.
        functions_match: Whether `matches(text, pattern)` costs what `text.matches(pattern)` does.
        optionals_have_sizes: Whether an optional counts with the size of its value.
    """

    # Reading.
    escaped_identifiers: bool = True
    escapes_allowed: bool = True
    strict_code_points: bool = True
    accumulator: str = "@result"
    misformats: bool = False
    # Types.
    dots_leave_scopes: bool = True
    second_variables_typed: bool = True
    structs_name_types: bool = True
    lists_are_messages: bool = True
    type_names_settled: bool = True
    ints_are_durations: bool = False
    # Values.
    ranges_keep_errors: bool = True
    optionals_nest: bool = True
    optionals_take_others: bool = False
    lists_give_optionals: bool = True
    bounds_indices: bool = True
    searches_empty: bool = True
    spaced_exponents: bool = False
    bounds_ranges: bool = True
    # Costs.
    estimates_entries: bool = True
    affixes_by_length: bool = True
    functions_match: bool = True
    optionals_have_sizes: bool = True


class Libraries(NamedTuple):
    """
    The libraries that not every Kubernetes version knows; what is not said of one it knows as the newest one.

    Attributes:
        comprehensions: Whether comprehensions may have two variables.
        semver: Whether there are semantic versions.
        extended_lists: Whether there are `slice`, `flatten`, `sort` and their like.
        includes: Whether lists have `includes`, and Kubernetes' own functions of lists come after those above.
    """

    comprehensions: bool = True
    semver: bool = True
    extended_lists: bool = True
    includes: bool = True
