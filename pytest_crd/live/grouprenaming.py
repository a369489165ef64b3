"""Renaming of a CRD and its objects to a group and namespace of the run, and back in answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pytest_crd.engine.client import completion
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.registry.requestbody import Body


class Renaming(NamedTuple):
    """
    Names of a CRD in the project and on the server; equal names are not changed.

    Attributes:
        group: The group of the CRD.
        other_group: Its group on the server.
        namespace: The namespace on the server; empty for the namespace of the object.
        made_up_name: The name on the server of objects without a name.
    """

    group: str
    other_group: str
    namespace: str
    made_up_name: str = completion.MADE_UP_NAME

    def of_crd(self, manifest: JSONObject) -> dict[str, JSONValue]:
        """
        Return a CRD under the other group.

        Its metadata has only the name, so that no operator on the server claims it, and no webhook converts its objects.
        """
        spec = {**manifest["spec"], "group": self.other_group}
        if self.other_group != self.group:
            spec.pop("conversion", None)
        name = f"{spec['names']['plural']}.{self.other_group}"
        return {
            "apiVersion": manifest["apiVersion"],
            "kind": manifest["kind"],
            "metadata": {"name": name},
            "spec": spec,
        }

    def of_object(self, resource: JSONValue, namespace: str) -> JSONValue:
        """Return an object under the other group; its namespace is replaced if it is *namespace*."""
        if not isinstance(resource, dict):
            return resource
        renamed = dict(resource)
        if isinstance(api_version := resource.get("apiVersion"), str) and api_version.startswith(f"{self.group}/"):
            renamed["apiVersion"] = self.other_group + api_version.removeprefix(self.group)
        metadata = resource.get("metadata")
        if self.namespace and isinstance(metadata, dict) and metadata.get("namespace") == namespace:
            renamed["metadata"] = {**metadata, "namespace": self.namespace}
        return renamed

    def of_patch(self, patch: JSONValue, namespace: str) -> JSONValue:
        """Return a merge patch or JSON Patch for an object under the other group and namespace."""
        if not isinstance(patch, list):
            return self.of_object(patch, namespace)
        return [self._of_operation(operation, namespace) for operation in patch]

    def _of_operation(self, operation: Mapping[str, JSONValue], namespace: str) -> JSONValue:
        value = operation.get("value")
        if operation["path"] == "/apiVersion":
            return {**operation, "value": self.of_object({"apiVersion": value}, namespace)["apiVersion"]}
        if operation["path"] == "/metadata/namespace":
            metadata = self.of_object({"metadata": {"namespace": value}}, namespace)["metadata"]
            return {**operation, "value": metadata["namespace"]}
        return operation

    def of_body(self, body: Body, namespace: str, *, read: Callable[[str], Body] = completion.read) -> Body:
        """Return the body of a request with the other names; in a text that is not marshalled JSON, all occurrences are replaced."""
        if self.group == self.other_group:
            return body
        if not body.text:
            return Body(self.of_object(body.value, namespace))
        if printing.marshal(body.value) == body.text:
            value = self.of_object(body.value, namespace)
            return Body(value, printing.marshal(value))
        text = re.sub(
            rf"""(apiVersion["']?\s*:\s*["']?){re.escape(self.group)}/""", rf"\g<1>{self.other_group}/", body.text
        )
        if self.namespace:
            text = re.sub(
                rf"""(\bnamespace["']?\s*:\s*["']?){re.escape(namespace)}\b""", rf"\g<1>{self.namespace}", text
            )
        return read(text)

    def restore(self, value: JSONValue, namespace: str) -> JSONValue:
        """Return an answer with the project's names, the namespace *namespace*, and the usual placeholder for objects without a name."""
        names = {
            self.other_group: self.group,
            self.namespace: namespace,
            self.made_up_name: completion.MADE_UP_NAME,
        }
        changed = {there: here for there, here in names.items() if there not in ("", here)}
        return replaced(value, changed) if changed else value


def replaced(value: JSONValue, names: Mapping[str, str]) -> JSONValue:
    """Return a value with names replaced in all its texts; *names* maps old to new names."""
    if isinstance(value, str):
        for old, new in names.items():
            value = value.replace(old, new)
        return value
    if isinstance(value, Mapping):
        return {replaced(key, names): replaced(item, names) for key, item in value.items()}
    return [replaced(item, names) for item in value] if isinstance(value, list) else value
