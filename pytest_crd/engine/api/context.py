"""Context of a CRD: its source file, its naming, its guard and its observer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from pytest_crd.engine.crds import nameconflicts
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.crds.nameconflicts import Naming
from pytest_crd.engine.errors.origin import Locate
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.records import NamedTuple, dataclass

if TYPE_CHECKING:
    from pytest_crd.engine.crds.internalspec import Conversion
    from pytest_crd.engine.registry.admission import PluginChain  # slow to import, and only requests need it
    from pytest_crd.engine.registry.conversion import VersionConverter

# Returns the Namespace with a name, or None.
NamespaceOf: TypeAlias = Callable[[str], "JSONObject | None"]
# Called with a `CustomResourceDefinition`.
Guard: TypeAlias = Callable[[Any], None]


class Converters(Protocol):
    """The conversion webhooks of a project."""

    def converter(self, crd: CrdSpec, conversion: Conversion, profile: Profile) -> VersionConverter | None:
        """
        Return the conversion webhook of a CRD; None if it is not known how to call it.

        Args:
            crd: The CRD; its strategy is `Webhook`.
            conversion: Its `conversion`, with `webhookClientConfig` and `conversionReviewVersions`.
            profile: The Kubernetes version.
        """


class Webhooks(Converters, Protocol):
    """The webhooks of a project."""

    def admission(self, profile: Profile, namespace_of: NamespaceOf | None = None) -> PluginChain | None:
        """
        Return the chain of admission plugins; None if there are none.

        Args:
            profile: The Kubernetes version.
            namespace_of: Returns the Namespace with a name; None for namespaces with the label of their name alone.
        """


@dataclass(frozen=True, eq=False)
class GivenFacts:
    """
    Facts that a test gives to admission; hashable, as the admission with them is a key of caches.

    Attributes:
        user: The user, as `userInfo` of a review; None for an administrator.
        namespace: The Namespace of the request; None for one with the label of its name alone.
        params: Further objects that may be params of policies.
        rules: The rules of the user, as in a Role; None for the roles of the project.
    """

    user: JSONObject | None = None
    namespace: JSONObject | None = None
    params: tuple[JSONObject, ...] = ()
    rules: tuple[JSONObject, ...] | None = None


class GivenParamError(Exception):
    """
    A param of a test that no server stores, or no policy reads.

    Attributes:
        index: Its index in the params.
    """

    def __init__(self, index: int, message: str) -> None:
        """Create with the index of the param and the problem."""
        super().__init__(message)
        self.index = index


class UnusedFact(NamedTuple):
    """
    A fact of a test that nothing reads.

    Attributes:
        key: The key of a case that states it: `params` or `authorizer`.
        position: Its index; None for the whole list.
        problem: The problem, as words that follow its name.
    """

    key: str
    position: int | None
    problem: str


@runtime_checkable
class AdmissionOfTests(Webhooks, Protocol):
    """Webhooks with admission that takes the facts of a test."""

    def giving(self, given: GivenFacts, profile: Profile) -> Webhooks:
        """
        Return the same webhooks with the facts of a test.

        Args:
            given: The facts.
            profile: The Kubernetes version.

        Raises:
            GivenParamError: A param cannot be stored, or no policy reads it.
            InputError: The mistakes in the policies of the project, or in their params.
        """

    def find_unused(self) -> Iterator[UnusedFact]:
        """Yield the facts of the test that no request has read so far."""


class ConversionWebhooks(NamedTuple):
    """
    The conversion webhooks of a project without its admission, for objects that may be older than its admission.

    Attributes:
        webhooks: The webhooks of the project.
    """

    webhooks: Converters

    def admission(self, _profile: Profile, _namespace_of: NamespaceOf | None = None) -> None:
        """Return None: there is no admission."""

    def converter(self, crd: CrdSpec, conversion: Conversion, profile: Profile) -> VersionConverter | None:
        """Return the conversion webhook of a CRD; None if it is not known how to call it."""
        return self.webhooks.converter(crd, conversion, profile)


class WrittenCrd(NamedTuple):
    """
    Manifest of a CRD and the file that holds it.

    Attributes:
        manifest: The manifest as it was read.
        path: The file; None if a command printed the manifest.
    """

    manifest: Manifest
    path: Path | None


class CrdContext(NamedTuple):
    """
    Facts about a CRD that its manifest does not hold.

    Attributes:
        observer: The listeners that requests for its custom resources are reported to.
        source: The place of the manifest, `file:line`; empty if it was not read from a file.
        locate: Returns the place of a path in the manifest, `file:line`; with the offset of a character in a text,
            `file:line:column`. None if the manifest was not read from a file.
        written: The manifest and its file; None if the CRD was not read from a file, or was altered since.
        guard: Called with the CRD before each answer about its custom resources; it raises to refuse the answer.
            None if every request is answered.
        naming: The names that the server accepts for the CRD.
        webhooks: The webhooks that requests call; None if they call none.
        storage_before: The version in which objects given as `old` are stored; empty for the storage version.
    """

    observer: Observer
    source: str = ""
    locate: Locate | None = None
    written: WrittenCrd | None = None
    guard: Guard | None = None
    naming: Naming = nameconflicts.NO_CONFLICTS
    webhooks: Webhooks | None = None
    storage_before: str = ""

    def __reduce__(self) -> tuple[type[CrdContext], tuple[Any, ...]]:
        """Return a picklable copy without the file, without listeners and without webhooks."""
        return CrdContext, tuple(self._replace(locate=None, written=None, webhooks=None))
