"""Objects of Python modules by their import path, such as `myop.models:BackupSpec`."""

from __future__ import annotations

import importlib
import traceback
from typing import Any, Final

from pytest_crd import suggestions
from pytest_crd.suggestions import WorkBudget

_OF_IMPORT: Final = (__file__, importlib.__file__)
FORM: Final = "MODULE:CLASS, as in myop.models:BackupSpec"


class ImportPathError(ValueError):
    """An import path without an object; the message says why."""


def find_object(path: str) -> Any:
    """
    Return an object of a module, which is imported.

    Args:
        path: The module and the object, with a colon between them.

    Raises:
        ImportPathError: There is no such module or object, or the import fails; then the message has the traceback.
    """
    module_name, colon, attribute = path.partition(":")
    if not (colon and all(step.isidentifier() for step in (*module_name.split("."), *attribute.split(".")))):
        raise ImportPathError(f"{path!r} is not {FORM}")
    value: Any = _import(module_name)
    for step in attribute.split("."):
        if not hasattr(value, step):
            near = suggestions.search(
                step, [name for name in dir(value) if name[0] != "_"], WorkBudget(suggestions.WORK_OF_MESSAGE)
            )
            raise ImportPathError(f"{module_name} has no {attribute}{suggestions.hint(near)}")
        value = getattr(value, step)
    return value


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise ImportPathError(f"there is no module {error.name}; install the project, or set pythonpath") from None
        raise ImportPathError(_describe(name, error)) from None
    except Exception as error:  # noqa: BLE001 - a module of the project may raise any
        raise ImportPathError(_describe(name, error)) from None


def _describe(name: str, error: BaseException) -> str:
    """Return the traceback of an import, from the project's own code on."""
    own = error.__traceback__
    while own is not None and own.tb_next is not None and _is_of_import(own.tb_frame.f_code.co_filename):
        own = own.tb_next
    text = "".join(traceback.format_exception(error.with_traceback(own))).rstrip()
    return f"the import of {name} fails:\n{text}"


def _is_of_import(file: str) -> bool:
    return file in _OF_IMPORT or file.startswith("<frozen importlib")
