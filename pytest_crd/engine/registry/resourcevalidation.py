"""
Validation of a custom resource on create, update, and update of the status.

This module has the server's order of checks, and the checks skipped after an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import objectmetavalidation, typemeta
from pytest_crd.engine.metadata.typemeta import GroupVersionKind
from pytest_crd.engine.observer import RuleOutcome
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import subresources
from pytest_crd.engine.registry.strategy import Validated
from pytest_crd.engine.schema import structural
from pytest_crd.engine.values import listtypes, valuevalidation
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.registry import resourcerules
    from pytest_crd.engine.registry.conversion import Served
    from pytest_crd.engine.registry.resourcerules import Entries, ManagedFields
    from pytest_crd.engine.rules.tree import RuleNode
    from pytest_crd.engine.values import ratcheting
    from pytest_crd.engine.values.ratcheting import Correlation
else:
    resourcerules = lazyimport.module("pytest_crd.engine.registry.resourcerules")
    ratcheting = lazyimport.module("pytest_crd.engine.values.ratcheting")

_STATUS: Final = FieldPath(("status",))


class _Seen(NamedTuple):
    """The objects that rules see, with the server's metadata."""

    resource: Resource
    old: Resource | None = None
    correlation: Correlation | None = None


class ResourceValidator:
    """
    Validator of the custom resources of one version of a CRD; compiles its parts of the schema on first use.

    Methods append the outcomes of rules to *outcomes*, in order of their evaluation, unless it is None.
    """

    def __init__(self, crd: CrdSpec, served: Served, profile: Profile, fits: Callable[[Resource], bool]) -> None:
        """Create for a version; *fits* returns whether the field manager can compare an object."""
        self._schema = served.schema
        self._declared = None if served.spec.schema is None else served.spec.schema.value
        self._of_url = GroupVersionKind(crd.group, served.spec.name, crd.kind)
        self._fits = fits
        self._profile = profile
        self._namespaced = crd.scope == "Namespaced"
        self._subresources = subresources.from_declared(served.spec.subresources)

    def create(
        self,
        resource: Resource,
        outcomes: list[RuleOutcome] | None = None,
        entries: Entries = None,
        malformed: Sequence[FieldError] = (),
    ) -> Validated:
        """
        Validate a new resource; *entries* returns its managed fields after an apply, *malformed* has errors of its metadata.

        Reference:
            apiextensions-apiserver registry/customresource/strategy.go, Validate; apiserver registry/rest/create.go.
        """
        metadata = resource["metadata"]
        errors = self._type_errors(resource)
        if not errors:
            errors += malformed or objectmetavalidation.validate_create(
                metadata, namespaced=self._namespaced, profile=self._profile
            )
            errors += self._values.create(resource) if self._values else ()
            errors += self._subresources.validate_scale(resource)
        errors += self._embedded(resource) if self._embedded else ()
        errors += self._lists(resource) if self._lists else ()
        validated = self._with_rules(
            errors, lambda: _Seen(resourcerules.with_created_metadata(resource, entries)), outcomes
        )
        if validated.errors:
            return validated
        created = objectmetavalidation.validate_created(metadata, namespaced=self._namespaced, profile=self._profile)
        return Validated(created, validated.warnings)

    def update(
        self,
        resource: Resource,
        old: Resource,
        outcomes: list[RuleOutcome] | None = None,
        entries: Entries = None,
        malformed: Sequence[FieldError] = (),
    ) -> Validated:
        """
        Validate a resource that replaces *old*.

        Args:
            resource: The resource.
            old: The stored resource.
            outcomes: The list for the outcomes of rules, or None.
            entries: Returns its managed fields; None if *old* has unknown owners.
            malformed: The errors of its malformed metadata.

        Reference:
            apiextensions-apiserver registry/customresource/strategy.go, ValidateUpdate; apiserver registry/rest/update.go.
        """
        wrong_type = self._type_errors(resource)
        if wrong_type:
            errors = self._common_metadata_errors(resource, old) + wrong_type
        else:
            errors = self._common_metadata_errors(resource, old) if malformed else self._metadata_errors(resource, old)
            errors += malformed
            errors += self._values.update(resource, old) if self._values else ()
            errors += self._subresources.validate_scale(resource)
        errors += self._embedded(resource) if self._embedded else ()
        errors += self._new_list_errors(resource, old)

        def with_metadata() -> _Seen:
            managed = resourcerules.managed(resource, old, entries)
            if not managed.generates:
                managed = self._tracked(managed, resource, old)
            return self._replaced(resource, old, managed, ratchets=True)

        return self._with_rules(errors, with_metadata, outcomes)

    def update_status(
        self,
        resource: Resource,
        old: Resource,
        sent: Resource,
        outcomes: list[RuleOutcome] | None = None,
        entries: Entries = None,
    ) -> Validated:
        """
        Validate an update of the status.

        Args:
            resource: *old* with the new status.
            old: The stored resource.
            sent: The resource in the request.
            outcomes: The list for the outcomes of rules, or None.
            entries: As in `update`.

        Reference:
            apiextensions-apiserver registry/customresource/status_strategy.go, ValidateUpdate.
        """
        errors = self._metadata_errors(resource, old)
        if not self._profile.validates_status_alone:
            errors += self._values.create(resource) if self._values else ()
            return Validated(errors + self._subresources.validate_status_scale(resource))
        if self._status_values and "status" in resource:
            status = resource["status"]
            errors += (
                self._status_values.update(status, old.get("status"), _STATUS)
                if self._profile.ratchets_status
                else self._status_values.create(status, _STATUS)
            )
        errors += self._subresources.validate_status_scale(resource)
        errors += self._new_list_errors(resource, old)

        def with_metadata() -> _Seen:
            managed = resourcerules.managed_status(sent, old, entries, self._profile)
            if jsonvalue.equal(resource.get("status"), old.get("status")):
                managed = self._tracked(managed, sent, old)
            return self._replaced(resource, old, managed, ratchets=self._profile.ratchets_status)

        return self._with_rules(errors, with_metadata, outcomes)

    def _with_rules(
        self,
        errors: list[FieldError],
        sees: Callable[[], _Seen],
        outcomes: list[RuleOutcome] | None,
    ) -> Validated:
        """Return *errors* with the errors of the rules, or with a notice that the errors block the rules."""
        if self._rules is None:
            return Validated(errors)
        blocked = resourcerules.blocked(errors, self._profile)
        if blocked is not None:
            return Validated([*errors, blocked])
        from pytest_crd.engine.rules import evaluation  # noqa: PLC0415 - only rules need CEL

        seen = sees()
        subject = evaluation.RuleSubject(seen.resource, seen.old, correlation=seen.correlation)
        of_rules = evaluation.validate(self._rules, subject, self._profile, outcomes=outcomes)
        return Validated(errors + of_rules.errors, tuple(of_rules.warnings))

    def _tracked(self, managed: ManagedFields, sent: Resource, old: Resource) -> ManagedFields:
        """Return the managed fields after an update that changes nothing else; the server does not compare mistyped objects."""
        return managed if self._fits(sent) and self._fits(old) else resourcerules.untracked(managed, self._profile)

    def _replaced(self, resource: Resource, old: Resource, managed: ManagedFields, *, ratchets: bool) -> _Seen:
        correlation = ratcheting.Correlation(resource, old, self._declared or {}) if ratchets else None
        return _Seen(*resourcerules.with_system_metadata(resource, old, managed), correlation)

    def _type_errors(self, resource: Resource) -> list[FieldError]:
        return typemeta.validate(resource, self._of_url)

    def _common_metadata_errors(self, resource: Resource, old: Resource) -> list[FieldError]:
        return objectmetavalidation.validate_common_update(
            resource["metadata"], old["metadata"], namespaced=self._namespaced, profile=self._profile
        )

    def _metadata_errors(self, resource: Resource, old: Resource) -> list[FieldError]:
        return objectmetavalidation.validate_update(
            resource["metadata"], old["metadata"], namespaced=self._namespaced, profile=self._profile
        )

    def _new_list_errors(self, resource: Resource, old: Resource) -> list[FieldError]:
        """Return the errors about duplicate list items; empty if the old object has such errors too."""
        errors = self._lists(resource) if self._lists else []
        return errors if errors and self._lists and not self._lists(old) else []

    @cached_property
    def _rules(self) -> RuleNode | None:
        schema = self._schema
        if schema is None or not structural.has_rules(schema):
            return None
        from pytest_crd.engine.rules import tree  # noqa: PLC0415 - as above

        return tree.build_stored(schema, self._profile, is_resource=True)

    @cached_property
    def _values(self) -> valuevalidation.Validator | None:
        schema = self._declared
        return None if schema is None else valuevalidation.compile(schema, self._profile, root=())

    @cached_property
    def _status_values(self) -> valuevalidation.Validator | None:
        schema = ((self._declared or {}).get("properties") or {}).get("status")
        root = ("properties", "status")
        return None if schema is None else valuevalidation.compile(schema, self._profile, root=root)

    @cached_property
    def _embedded(self) -> objectmetavalidation.Validate | None:
        schema = self._schema
        return None if schema is None else objectmetavalidation.compile_embedded(schema, self._profile)

    @cached_property
    def _lists(self) -> listtypes.ItemsCheck | None:
        schema = self._schema
        return None if schema is None else listtypes.compile(schema, self._profile)
