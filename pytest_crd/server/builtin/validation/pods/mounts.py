"""
Validation of the volumes and devices that a container mounts.

Reference:
    kubernetes pkg/apis/core/validation, ValidateVolumeMounts and ValidateVolumeDevices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.server.builtin.validation.pods import podfields
from pytest_crd.server.builtin.validation.pods.podfields import Object

_BIDIRECTIONAL: Final = "Bidirectional"
_PROPAGATIONS: Final = (_BIDIRECTIONAL, "HostToContainer", "None")
_RECURSIVE: Final = ("Disabled", "Enabled", "IfPossible")
_UNIQUE: Final = "must be unique"


def validate(container: Object, volumes: Mapping[str, Object], path: FieldPath) -> Errors:
    """Yield the errors of the mounts of a container."""
    devices = {
        device.get("name") or "": device.get("devicePath") or "" for device in container.get("volumeDevices") or ()
    }
    used: set[str] = set()
    for place, mount in enumerate(container.get("volumeMounts") or ()):
        own = path.index(place)
        name, folder = mount.get("name") or "", mount.get("mountPath") or ""
        yield from podfields.require(mount, own, "name")
        if name not in volumes:
            yield podfields.not_found(own.child("name"), name)
        yield from podfields.require(mount, own, "mountPath")
        if folder in used:
            yield fielderror.invalid(own.child("mountPath"), folder, _UNIQUE)
        used.add(folder)
        yield from _refuse_in((name, folder), ("name", "mountPath"), devices, own, "volumeDevices")
        yield from _validate_folders(mount, path, own)
        yield from _validate_modes(mount, container, path)


def _refuse_in(
    values: tuple[str, str], fields: tuple[str, str], others: Mapping[str, str], path: FieldPath, called: str
) -> Errors:
    """Yield the errors of a name and a path that the other kind of mounts has."""
    (name, folder), (name_field, path_field) = values, fields
    if name in others:
        yield fielderror.invalid(path.child(name_field), name, f"must not already exist in {called}")
    if folder in others.values():
        yield fielderror.invalid(path.child(path_field), folder, f"must not already exist as a path in {called}")


def _validate_folders(mount: Object, path: FieldPath, own: FieldPath) -> Errors:
    folder, expression = mount.get("subPath") or "", mount.get("subPathExpr") or ""
    if folder:
        yield from podfields.validate_descent(folder, path.child("subPath"))
    if expression:
        if folder:
            detail = "subPathExpr and subPath are mutually exclusive"
            yield fielderror.invalid(own.child("subPathExpr"), expression, detail)
        yield from podfields.validate_descent(expression, path.child("subPathExpr"))


def _validate_modes(mount: Object, container: Object, path: FieldPath) -> Errors:
    propagation, recursive = mount.get("mountPropagation"), mount.get("recursiveReadOnly")
    yield from podfields.choose_optional(mount, path, "mountPropagation", _PROPAGATIONS)
    if propagation == _BIDIRECTIONAL and not (container.get("securityContext") or {}).get("privileged"):
        detail = f"{_BIDIRECTIONAL} mount propagation is available only to privileged containers"
        yield fielderror.forbidden(path.child("mountPropagation"), detail)
    if recursive is None or recursive == "Disabled":
        return
    place = path.child("recursiveReadOnly")
    if recursive not in _RECURSIVE:
        yield from podfields.choose(recursive, place, _RECURSIVE, empty=None)
        return
    if not mount.get("readOnly"):
        yield fielderror.forbidden(place, "may only be specified when readOnly is true")
    if propagation not in (None, "None"):
        yield fielderror.forbidden(place, "may only be specified when mountPropagation is None or not specified")


def validate_devices(container: Object, volumes: Mapping[str, Object], path: FieldPath) -> Errors:
    """Yield the errors of the devices of a container."""
    mounts = {mount.get("name") or "": mount.get("mountPath") or "" for mount in container.get("volumeMounts") or ()}
    names: set[str] = set()
    paths: set[str] = set()
    for place, device in enumerate(container.get("volumeDevices") or ()):
        own = path.index(place)
        name, text = device.get("name") or "", device.get("devicePath") or ""
        yield from podfields.require(device, own, "name")
        if name in names:
            yield fielderror.invalid(own.child("name"), name, _UNIQUE)
        volume = volumes.get(name)
        if volume is None:
            yield podfields.not_found(own.child("name"), name)
        elif volume.get("persistentVolumeClaim") is None and volume.get("ephemeral") is None:
            detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            yield fielderror.invalid(own.child("name"), name, detail)
        yield from podfields.require(device, own, "devicePath")
        if text in paths:
            yield fielderror.invalid(own.child("devicePath"), text, _UNIQUE)
        if ".." in text.split("/"):
            yield fielderror.invalid(own.child("devicePath"), text, "can not contain backsteps ('..')")
        else:
            paths.add(text)
        yield from _refuse_in((name, text), ("name", "devicePath"), mounts, own, "volumeMounts")
        if name:
            names.add(name)
