"""Places that keep a configuration: environment variables, attributes and the entries of a dict."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Protocol


class Place(Protocol):
    """A place with a value that can be replaced."""

    def read(self) -> Any:
        """Return the value."""

    def write(self, value: Any) -> None:
        """Replace the value."""


class EnvironmentPlace(NamedTuple):
    """An environment variable; its value is None if it is unset."""

    name: str

    def read(self) -> str | None:
        """Return the value."""
        return os.environ.get(self.name)

    def write(self, value: str | None) -> None:
        """Replace the value."""
        if value is None:
            os.environ.pop(self.name, None)
        else:
            os.environ[self.name] = value


class AttributePlace(NamedTuple):
    """An attribute of a module or class."""

    owner: Any
    name: str

    def read(self) -> Any:
        """Return the value."""
        return getattr(self.owner, self.name)

    def write(self, value: Any) -> None:
        """Replace the value."""
        setattr(self.owner, self.name, value)


class DictPlace(NamedTuple):
    """The entries of a dict that others refer to."""

    values: dict[Any, Any]

    def read(self) -> dict[Any, Any]:
        """Return a copy of the entries."""
        return dict(self.values)

    def write(self, value: dict[Any, Any]) -> None:
        """Replace the entries."""
        self.values.clear()
        self.values.update(value)


class PlaceChange(NamedTuple):
    """
    A change that ends with the server of a test.

    Attributes:
        place: The place.
        before: The value before the change.
        during: The value while the server is open.
    """

    place: Place
    before: Any
    during: Any

    def begin(self) -> None:
        """Write the value of the server."""
        self.place.write(self.during)

    def end(self) -> None:
        """Write the value from before."""
        self.place.write(self.before)

    def end_again(self) -> None:
        """Write the value from before if it was overwritten with the server's; an empty value is not recognized as the server's."""
        if self.during and self.place.read() == self.during:
            self.end()
