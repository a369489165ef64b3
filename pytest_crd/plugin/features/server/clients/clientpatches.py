"""Replacement of the clients' functions that see an address, in loaded modules and in modules that a test loads."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final, NamedTuple

from pytest_crd.plugin.features.server.clients import clienttable
from pytest_crd.plugin.features.server.clients.clienttable import PatchedFunction, When
from pytest_crd.plugin.features.server.clients.guard import Guard, UnknownClientError

# The attribute of a replacement with the function that it calls.
_TARGET: Final = "_pytest_crd_target"


class _Replaced(NamedTuple):
    """A function that is replaced: where it is, the function and its replacement."""

    owner: Any
    name: str
    original: Any
    replacement: Any


class ClientPatches(MetaPathFinder):
    """The functions of all clients, replaced for a guard."""

    def __init__(self, guard: Guard) -> None:
        """Replace nothing yet."""
        self._guard = guard
        self._replaced: list[_Replaced] = []

    def install(self) -> None:
        """
        Replace the functions of loaded modules now, and of other modules after their import.

        Raises:
            UnknownClientError: A client has no function that sees its requests.
        """
        sys.meta_path.insert(0, self)
        for name in clienttable.MODULES & sys.modules.keys():
            self._replace_all(sys.modules[name])

    def remove(self) -> None:
        """Restore the functions."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for owner, name, original, replacement in reversed(self._replaced):
            if vars(owner).get(name) is replacement:  # a mock may be there
                setattr(owner, name, original)
        self._replaced.clear()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        """Return the spec of a client's module; the functions are replaced after its import."""
        if fullname not in clienttable.MODULES:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        specs = (finder.find_spec(fullname, path, target) for finder in others)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            self._follow(spec.loader, fullname)
        return spec

    def _follow(self, loader: Any, name: str) -> None:
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            if module.__name__ == name:  # a loader may be shared
                vars(loader).pop("exec_module", None)
                self._replace_all(module)

        loader.exec_module = exec_module

    def _replace_all(self, module: ModuleType) -> None:
        for function in clienttable.PATCHED:
            if function.module == module.__name__ and not self._replace(module, function.path, self._checked(function)):
                _demand_known(function)
        for account in clienttable.ACCOUNT_LOADERS:
            if account.module == module.__name__:
                self._replace(module, account.path, self._outside(account.error(module)))

    def _replace(self, module: ModuleType, path: str, make: Callable[[Any], Any]) -> bool:
        """Return False if the module has no such function."""
        owner_name, _, name = path.rpartition(".")
        owner = getattr(module, owner_name, None) if owner_name else module
        original = None if owner is None else vars(owner).get(name)
        if original is None:
            return False
        targets = [*_targets(original)]  # a mock may have restored the replacement of an earlier test
        replacement = make(targets[-1])
        setattr(replacement, _TARGET, targets[-1])
        self._replaced.append(_Replaced(owner, name, original, replacement))
        setattr(owner, name, replacement)
        return True

    def _checked(self, function: PatchedFunction) -> Callable[[Any], Any]:
        client = function.client

        def check(address: str | None) -> None:
            if address is not None and self._guard.is_active:
                self._guard.check(client.name, address, client.advice)

        def make(target: Any) -> Any:
            @functools.wraps(target)
            def call(*args: Any, **options: Any) -> Any:
                if function.when is When.BEFORE:
                    check(function.address(*args, **options))
                    return target(*args, **options)
                result = target(*args, **options)
                check(function.address(result, *args, **options))
                return result

            return call

        return make

    def _outside(self, error: type[Exception]) -> Callable[[Any], Any]:
        """Return the factory of a loader that finds no pod unless the environment names an API server."""

        def make(target: Any) -> Any:
            @functools.wraps(target.__func__)
            def call(cls: type, *args: Any, **options: Any) -> Any:
                if self._guard.is_active and not any(map(os.environ.get, clienttable.ACCOUNT_VARIABLES)):
                    raise error("no pod: crd_server is open, and no environment variable names the API server of a pod")
                return target.__func__(cls, *args, **options)

            return classmethod(call)

        return make


def _targets(function: Any) -> Iterator[Any]:
    """Yield a function, and the functions below if it is a replacement."""
    while function is not None:
        yield function
        function = vars(function).get(_TARGET)


def _demand_known(function: PatchedFunction) -> None:
    """
    Check that a missing function is not needed.

    Raises:
        UnknownClientError: Each request passes it.
    """
    if function.is_request:
        raise UnknownClientError(
            f"crd_server cannot keep this version of {function.client.name} from other servers: {function.module} has no"
            f" {function.path}; use a version of {function.client.name} or of pytest-crd in which they fit"
        )
