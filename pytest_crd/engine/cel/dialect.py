"""Differences between Kubernetes versions in the syntax, types, functions and costs of expressions."""

from __future__ import annotations

from pytest_crd.records import NamedTuple


class Dialect(NamedTuple):
    """
    Language features of a server; the defaults describe the newest version with a server.

    Attributes:
    Reading:
        escaped_identifiers: The grammar has field names in backquotes.
        escapes_allowed: Field names in backquotes are accepted.
        strict_code_points: Escapes of surrogates are refused.
        accumulator: Name of the accumulator of comprehensions. Expressions can refer to it unless it begins with `@`.
        misformats: Percent signs in messages of syntax errors are interpreted as format clauses.

    Types:
        dots_leave_scopes: A leading dot skips the variables of comprehensions.
        second_variables_typed: The second variable of a comprehension over an untyped range has a type.
        structs_name_types: Struct literals look up types only. Otherwise the name of a variable is refused as "not a
            type".
        lists_are_messages: The checker accepts `list{}`, which fails at run time.
        type_names_settled: Messages print the types `list`, `map` and `optional_type` with dyn for their parameters.
        ints_are_durations: `duration(1)` is well typed, but fails at run time.
        suggests_names: An undeclared name has up to two similar names in its message, and a qualified name is one error. Otherwise
            the message names the container, and each part of the name is an error.

    Values:
        ranges_keep_errors: A comprehension with two variables returns the error of its range.
        optionals_nest: An optional in an optional stays nested in variables and conditionals.
        optionals_take_others: `or` and `orValue` accept non-optional operands and return them.
        lists_give_optionals: Lists have `first` and `last`, and `optional.unwrap` exists.
        bounds_indices: The index of an empty text searched beyond the end is the length of the text.
        searches_empty: `lastIndexOf` of an empty text is -1, not an error.
        spaced_exponents: `%e` puts spaces around the multiplication sign.
        rounds_digits: Quantities keep 29 digits, exponents of any size, and the exponents that have no suffix.
        compares_nan: Comparisons with NaN are false, not errors.
        bounds_ranges: `lists.range` is limited to a million numbers, and `flatten` with a negative depth costs the same
            as with depth 1.

    Costs:
        estimates_entries: Estimates use the sizes of the entries of literals and comprehensions.
        affixes_by_length: The cost of startsWith and endsWith depends on the length of the affix, not of the text.
        functions_match: `matches(text, pattern)` costs the same as `text.matches(pattern)`.
        optionals_have_sizes: The size of an optional is the size of its value.
        charges_failed_calls: Calls and literals cost the same if an argument or a part fails, failed optional selections cost
            nothing, and a presence test of a conditional costs one less. Otherwise it is the other way round.
        charges_untyped_fields: Estimates count a field of an untyped value.
        measures_types: The size of a type is 1.
        bounds_results: Estimates know sizes of results better: parts of URLs, and lists that may omit items. `distinct` costs as much as
            for texts.
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
    suggests_names: bool = False
    # Values.
    ranges_keep_errors: bool = True
    optionals_nest: bool = True
    optionals_take_others: bool = False
    lists_give_optionals: bool = True
    bounds_indices: bool = True
    searches_empty: bool = True
    spaced_exponents: bool = False
    bounds_ranges: bool = True
    rounds_digits: bool = False
    compares_nan: bool = False
    # Costs.
    estimates_entries: bool = True
    affixes_by_length: bool = True
    functions_match: bool = True
    optionals_have_sizes: bool = True
    charges_failed_calls: bool = True
    charges_untyped_fields: bool = False
    measures_types: bool = False
    bounds_results: bool = False


class Libraries(NamedTuple):
    """
    Libraries of a Kubernetes version that not all versions have; the defaults describe the newest version with a server.

    Attributes:
        comprehensions: Comprehensions may have two variables.
        semver: Semantic versions are available.
        extended_lists: `slice`, `flatten`, `sort` and related functions are available.
        includes: Lists have `includes`, and Kubernetes' list functions are declared after the libraries above.
        has_masks: Ranges of addresses have `isMask`.
    """

    comprehensions: bool = True
    semver: bool = True
    extended_lists: bool = True
    includes: bool = True
    has_masks: bool = False
