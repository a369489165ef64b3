"""
Changes that a kustomization makes to its objects: patches, namespaces, names, labels, annotations, replicas and images, in this order.

Reference:
    sigs.k8s.io/kustomize api/internal/target/kusttarget_configplugin.go.
"""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.discovery import kustomizemerges, kustomizeobjects, kustomizepatches
from pytest_crd.discovery.kustomizeconfigs import Configuration
from pytest_crd.discovery.kustomizemerges import UNKNOWN, FindType, MergeError
from pytest_crd.discovery.kustomizeobjects import BuiltObject, NameReference, ObjectId, child
from pytest_crd.discovery.kustomizepatches import Patch
from pytest_crd.engine.golang.release import JsonPatchRelease
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.registry.patching import jsonpatch
from pytest_crd.engine.registry.patching.jsonpatch import OperationError

# Returns a problem of a field of the kustomization.
Complain: TypeAlias = Callable[[str, str], ManifestError]

_RELEASE: Final = JsonPatchRelease()
_REPLICATED: Final = frozenset({"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"})
_UNNAMED: Final = frozenset({"CustomResourceDefinition", "APIService", "Namespace"})
_SELECTOR: Final = re.compile(r"(!?)([^\s!=,()]+)\s*(?:(==|=|!=)\s*([^\s!=,()]*))?")
_IMAGE_FIELDS: Final = frozenset({"name", "newName", "newTag", "digest"})


def patch(objects: list[BuiltObject], patches: Iterable[Patch], find_type: FindType) -> list[BuiltObject]:
    """
    Return objects after patches.

    Raises:
        ManifestError: A patch names an object that is not there, or an operation fails.
    """
    for item in patches:
        chosen = [object_ for object_ in objects if _is_chosen(object_, item)]
        if item.target is None and len(chosen) != 1:
            own = item.content
            words = f"{own.get('kind')}/{item.own_name} of {own.get('apiVersion')}"
            raise ManifestError([Mistake(*item.place, f"a patch of {words}, which is not in the kustomization")])
        if kustomizemerges.deletes(item.content):
            objects = [object_ for object_ in objects if object_ not in chosen]
            continue
        for object_ in chosen:
            _apply(object_, item, find_type)
    return objects


def _is_chosen(item: BuiltObject, patch_: Patch) -> bool:
    if patch_.target is None:
        content = patch_.content
        if content.get("apiVersion") != item.value.get("apiVersion"):
            return False
        namespace = (content.get("metadata") or {}).get("namespace")
        return any(
            (id_.kind, id_.name) == (content.get("kind"), patch_.own_name)
            and (namespace or "default") == (id_.namespace or "default")
            for id_ in item.ids
        )
    target = patch_.target
    for key, texts in (("labelSelector", "labels"), ("annotationSelector", "annotations")):
        if not _matches_labels(str(target.get(key) or ""), item.metadata.get(texts) or {}, patch_):
            return False
    version = str(item.value.get("apiVersion")).rpartition("/")[2]
    return any(_matches_target(id_, version, target) for id_ in item.ids)


def _matches_target(id_: ObjectId, version: str, target: Mapping[str, str]) -> bool:
    values = {**id_._asdict(), "version": version}
    return all(kustomizepatches.matches(target.get(key, ""), values[key]) for key in kustomizepatches.PATTERNS)


def _matches_labels(selector: str, labels: Mapping[str, str], patch_: Patch) -> bool:
    for term in filter(None, map(str.strip, selector.split(","))):
        match = _SELECTOR.fullmatch(term)
        if match is None:
            raise ManifestError([Mistake(*patch_.place, f"a target with the selector {selector}, which is not known")])
        negation, key, operator, value = match.groups()
        holds = key in labels if operator is None else labels.get(key) == value
        if holds == bool(negation or operator == "!="):
            return False
    return True


def _apply(item: BuiltObject, patch_: Patch, find_type: FindType) -> None:
    before, content = item.id, copy.deepcopy(patch_.content)
    name, kind, namespace = item.metadata.get("name"), item.value.get("kind"), item.metadata.get("namespace")
    if isinstance(content, list):
        try:
            item.value = copy.deepcopy(jsonpatch.apply(item.value, content, _RELEASE))
        except OperationError as error:
            words = f"operation {error.index + 1} fails for {before.kind}/{before.name}: {error}"
            raise ManifestError([Mistake(*patch_.place, words)]) from None
    else:
        merge_type = find_type(str(item.value.get("apiVersion")), before.kind) or UNKNOWN
        try:
            item.value = {
                **kustomizemerges.merge(item.value, content, merge_type),
                "apiVersion": item.value["apiVersion"],
            }
        except MergeError as error:
            words = f"the patch of {before.kind}/{before.name} fails: {error}"
            raise ManifestError([Mistake(*patch_.place, words)]) from None
    is_partial = not isinstance(content, list)
    if is_partial and not patch_.options.get("allowKindChange"):
        item.value["kind"] = kind
    if is_partial and not patch_.options.get("allowNameChange"):
        item.metadata["name"] = name
    if is_partial:
        item.metadata.pop("namespace", None)
        item.metadata.update({} if namespace is None else {"namespace": namespace})
    if item.id != before:
        item.earlier.append(before)


def set_namespace(objects: Sequence[BuiltObject], namespace: str, configuration: Configuration) -> None:
    """Set the namespace of all objects that have one, and in the names of these objects elsewhere."""
    for item in objects:
        if item.id.kind == "Namespace" and not item.id.group:
            item.rename(namespace)
        elif item.has_namespace and item.id.namespace != namespace:
            item.earlier.append(item.id)
            item.metadata["namespace"] = namespace
    moved = [item for item in objects if item.has_namespace]
    for item in objects:
        configuration.set_namespace(item, namespace)
        for service in kustomizeobjects.moved_services(item):
            service["namespace"] = namespace
        for reference in kustomizeobjects.references(item):
            is_default = reference.kind == "ServiceAccount" and reference.holder[reference.key] == "default"
            if reference.has_namespace and (is_default or _find(reference, moved)):
                reference.holder["namespace"] = namespace


def add_affixes(objects: Sequence[BuiltObject], prefix: str, suffix: str, configuration: Configuration) -> None:
    """Add a prefix and a suffix to the names of objects, and to the same names elsewhere."""
    for item in objects:
        if item.id.kind not in _UNNAMED:
            item.rename(f"{prefix}{item.id.name}{suffix}")
    update_references(objects, configuration)


def update_references(objects: Sequence[BuiltObject], configuration: Configuration) -> None:
    """Replace the earlier names of renamed objects in other objects."""
    renamed = [item for item in objects if item.earlier]
    for item in objects:
        for reference in (*kustomizeobjects.references(item), *configuration.references(item)):
            if target := _find(reference, [target for target in renamed if _reaches(reference, item, target)]):
                reference.holder[reference.key] = target.id.name


def _reaches(reference: NameReference, item: BuiltObject, target: BuiltObject) -> bool:
    """Return whether a name in *item* may be of *target*: with a namespace beside it, in the same namespace, or outside of namespaces."""
    if reference.has_namespace and reference.holder.get("namespace"):
        return True
    is_global = not (target.has_namespace and item.has_namespace)
    return is_global or (target.id.namespace or "default") == (item.id.namespace or "default")


def _find(reference: NameReference, objects: Iterable[BuiltObject]) -> BuiltObject | None:
    """Return the object that a reference names by an earlier or its present identity."""
    return next((item for item in objects if any(map(reference.names, item.ids))), None)


def add_labels(objects: Sequence[BuiltObject], labels: Mapping[str, str], *, selectors: bool, templates: bool) -> None:
    """Add labels to objects, and on demand to their selectors and templates."""
    for item in objects if labels else ():
        for place in kustomizeobjects.labelled(item, selectors=selectors, templates=templates):
            place.update(labels)


def add_annotations(objects: Sequence[BuiltObject], annotations: Mapping[str, str]) -> None:
    """Add annotations to objects and to their pod templates."""
    for item in objects if annotations else ():
        for place in kustomizeobjects.annotated(item):
            place.update(annotations)


def set_replicas(objects: Sequence[BuiltObject], entry: Any, complain: Complain) -> None:
    """
    Set the replicas of the workloads with a name.

    Raises:
        ManifestError: There is no such workload.
    """
    chosen = [
        item
        for item in objects
        if item.id.kind in _REPLICATED and any(id_.name == entry.get("name") for id_ in item.ids)
    ]
    if not chosen:
        raise complain("replicas", f"no workload is named {entry.get('name')}")
    for item in chosen:
        child(item.value, "spec")["replicas"] = entry.get("count")


def set_image(objects: Sequence[BuiltObject], entry: Any, complain: Complain) -> None:
    """
    Replace the images with a name in all containers.

    Raises:
        ManifestError: A field is not known.
    """
    if not entry.keys() <= _IMAGE_FIELDS:
        raise complain("images", "the fields of an image are not known")
    for item in objects:
        if item.id.kind != "CustomResourceDefinition":
            kustomizeobjects.change_images(item.value, functools.partial(_image, entry=entry))


def _image(image: str, entry: Mapping[str, Any]) -> str:
    rest, at, digest = image.partition("@")
    folder, slash, last = rest.rpartition("/")
    base, _, tag = last.partition(":")
    name = f"{folder}{slash}{base}"
    if name != entry.get("name"):
        return image
    new_name = entry.get("newName") or name
    if entry.get("digest"):
        return f"{new_name}@{entry['digest']}"
    if entry.get("newTag"):
        tag, at, digest = str(entry["newTag"]), "", ""
    return f"{new_name}{':' if tag else ''}{tag}{at}{digest}"
