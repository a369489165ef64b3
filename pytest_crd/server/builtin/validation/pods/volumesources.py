"""
Rules for the sources of volumes: most as data, by source and field.

Reference:
    kubernetes pkg/apis/core/validation, validateVolumeSource.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.metadata import names
from pytest_crd.server.builtin.validation import persistentvolumeclaims
from pytest_crd.server.builtin.validation.pods import downwardfields, podfields
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules

Rule: TypeAlias = Callable[[Object, FieldPath, Rules], Errors]

MODES: Final = 0o777
MODE_WORDS: Final = "must be a number between 0 and 0777 (octal), both inclusive"
_BYTE: Final = 255
# Patterns in Go's syntax.
_INITIATORS: Final = {
    "iqn": r"iqn\.\d{4}-\d{2}\.([0-9A-Za-z.-]+)(:[^,;*&$|\s]+)$",
    "eui": "^eui.[0-9A-Za-z]{16}$",
    "naa": "^naa.[0-9A-Za-z]{32}$",
}
_LONGEST_TENANT: Final = 64
_LONGEST_DRIVER: Final = 63
_PATH_TYPES: Final = (
    *("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"),
)
_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")
_HOSTS: Final = "must be a host:port pair or multiple pairs separated by commas"
_MANAGED: Final = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
_BLOB: Final = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"


def _need(*fields: str) -> Rule:
    return lambda source, path, _rules: podfields.require(source, path, *fields)


def _need_reference(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    if source.get("secretRef") is not None:
        yield from podfields.require(source["secretRef"], path.child("secretRef"), "name")


def _partition(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    return podfields.limit(source, path, "partition", (0, _BYTE), f"must be between 1 and {_BYTE}, inclusive")


def validate_mode(source: Object, path: FieldPath, field: str = "defaultMode") -> Errors:
    """Yield the error of a mode of files."""
    return podfields.limit(source, path, field, (0, MODES), MODE_WORDS)


def validate_key(item: Object, path: FieldPath) -> Errors:
    """Yield the errors of a key that becomes a file."""
    yield from podfields.require(item, path, "key", "path")
    yield from podfields.validate_local_path(item.get("path") or "", path.child("path"))
    yield from validate_mode(item, path, "mode")


def _of_keys(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    yield from validate_mode(source, path)
    for place, item in enumerate(source.get("items") or ()):
        yield from validate_key(item, path.child("items").index(place))


def _empty_dir(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    size = source.get("sizeLimit")
    if size is not None and size.startswith("-"):
        yield fielderror.forbidden(path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity")


def _host_path(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    if not source.get("path"):
        yield fielderror.required(path.child("path"), "")
        return
    yield from podfields.refuse_steps_back(source["path"], path.child("path"))
    yield from podfields.choose_optional(source, path, "type", _PATH_TYPES)


def _git_repo(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    yield from podfields.require(source, path, "repository")
    yield from podfields.validate_descent(source.get("directory") or "", path.child("directory"))


def _absolute(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    text = source.get("path") or ""
    if not text.startswith("/"):
        yield fielderror.invalid(path.child("path"), text, "must be an absolute path")


def _initiator(text: str, path: FieldPath) -> Errors:
    prefix = text[:3]
    if prefix not in _INITIATORS:
        yield fielderror.invalid(path, text, "must be valid format starting with iqn, eui, or naa")
    elif not patterns.compile(_INITIATORS[prefix])(text):
        yield fielderror.invalid(path, text, "must be valid format")


def _iscsi(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    yield from podfields.require(source, path, "targetPortal", "iqn")
    if source.get("iqn"):
        yield from _initiator(source["iqn"], path.child("iqn"))
    yield from podfields.limit(source, path, "lun", (0, _BYTE))
    if (source.get("chapAuthDiscovery") or source.get("chapAuthSession")) and source.get("secretRef") is None:
        yield fielderror.required(path.child("secretRef"), "")
    if source.get("initiatorName") is not None:
        yield from _initiator(source["initiatorName"], path.child("initiatorname"))


def _quobyte(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    registry = source.get("registry") or ""
    if not registry:
        yield fielderror.required(path.child("registry"), _HOSTS)
    elif len((source.get("tenant") or "").encode()) > _LONGEST_TENANT:
        detail = f"must be a UUID and may not exceed a length of {_LONGEST_TENANT} characters"
        yield fielderror.required(path.child("tenant"), detail)
    else:
        for pair in registry.split(","):
            host, colon, _ = pair.rpartition(":")
            is_bracketed = host.startswith("[") and host.endswith("]")
            if not colon or (":" in host and not is_bracketed):
                yield fielderror.invalid(path.child("registry"), registry, _HOSTS)
    yield from podfields.require(source, path, "volume")


def _flocker(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    name, uuid = source.get("datasetName") or "", source.get("datasetUUID") or ""
    if not name and not uuid:
        yield fielderror.required(path, "one of datasetName and datasetUUID is required")
    if name and uuid:
        yield fielderror.invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously")
    if "/" in name:
        yield fielderror.invalid(path.child("datasetName"), name, "must not contain '/'")


def _fibre_channel(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    targets, names_ = source.get("targetWWNs") or [], source.get("wwids") or []
    place = path.child("targetWWNs")
    if not targets and not names_:
        yield fielderror.required(place, "must specify either targetWWNs or wwids, but not both")
    if targets and names_:
        detail = "targetWWNs and wwids can not be specified simultaneously"
        yield badvalues.invalid(place, targets, detail, profile=_rules.profile)
    if targets:
        if source.get("lun") is None:
            yield fielderror.required(path.child("lun"), "lun is required if targetWWNs is specified")
        yield from podfields.limit(source, path, "lun", (0, _BYTE))


def _reserved_options(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    for key in sorted(source.get("options") or {}):
        namespace = f".{names.lower(key.partition('/')[0])}"
        if namespace.endswith((".kubernetes.io", ".k8s.io")):
            detail = "kubernetes.io and k8s.io namespaces are reserved"
            yield fielderror.invalid(path.child("options").key(key), key, detail)


def _azure_disk(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    yield from podfields.require(source, path, "diskName", "diskURI")
    yield from podfields.choose_optional(source, path, "cachingMode", ("None", "ReadOnly", "ReadWrite"))
    yield from podfields.choose_optional(source, path, "kind", ("Dedicated", "Managed", "Shared"))
    uri = source.get("diskURI") or ""
    start, form = ("/subscriptions/", _MANAGED) if source["kind"] == "Managed" else ("https://", _BLOB)
    if not uri.startswith(start):
        yield fielderror.not_supported(path.child("diskURI"), uri, [form])


def _storage_os(source: Object, path: FieldPath, rules: Rules) -> Errors:
    yield from podfields.validate_name(source, "volumeName", path, rules.label)
    if namespace := source.get("volumeNamespace"):
        yield from podfields.validate_text(namespace, path.child("volumeNamespace"), rules.label)
    yield from _need_reference(source, path, rules)


def _downward(source: Object, path: FieldPath, rules: Rules) -> Errors:
    yield from validate_mode(source, path)
    for item in source.get("items") or ():
        yield from validate_downward_file(item, path, rules)


def validate_downward_file(item: Object, path: FieldPath, rules: Rules) -> Errors:
    """Yield the errors of a file with a field of the Pod."""
    yield from podfields.require(item, path, "path")
    yield from podfields.validate_local_path(item.get("path") or "", path.child("path"))
    field, amount = item.get("fieldRef"), item.get("resourceFieldRef")
    if field is not None:
        yield from downwardfields.validate_field(field, path.child("fieldRef"), downwardfields.OF_FILES, rules)
        if amount is not None:
            detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
            yield fielderror.invalid(path, "resource", detail)
    elif amount is not None:
        yield from downwardfields.validate_amount(amount, path.child("resourceFieldRef"), needs_container=True)
    else:
        yield fielderror.required(path, "one of fieldRef and resourceFieldRef is required")
    yield from validate_mode(item, path, "mode")


def _csi(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    driver = source.get("driver") or ""
    if not driver:
        yield fielderror.required(path.child("driver"), "")
    else:
        if len(driver.encode()) > _LONGEST_DRIVER:
            yield fielderror.too_long(path.child("driver"), _LONGEST_DRIVER)
        problems = names.dns1123_subdomain(names.lower(driver))
        yield from (fielderror.invalid(path.child("driver"), driver, problem) for problem in problems)
    reference = source.get("nodePublishSecretRef")
    if reference is not None:
        name = reference.get("name") or ""
        if not name:
            yield fielderror.required(path.child("nodePublishSecretRef", "name"), "")
        else:
            yield from podfields.validate_text(name, path.child("name"), names.dns1123_subdomain)


def _ephemeral(source: Object, path: FieldPath, rules: Rules) -> Errors:
    template = source.get("volumeClaimTemplate")
    if template is None:
        yield fielderror.required(path.child("volumeClaimTemplate"), "")
    else:
        yield from persistentvolumeclaims.validate_template(template, path.child("volumeClaimTemplate"), rules.profile)


def _image(source: Object, path: FieldPath, _rules: Rules) -> Errors:
    yield from podfields.require(source, path, "reference")
    yield from podfields.choose(source.get("pullPolicy") or "", path.child("pullPolicy"), _PULL_POLICIES)


# The rules of each source, in the server's order. The two others are in `projections` and here below.
SOURCES: Final[Mapping[str, Sequence[Rule]]] = {
    "emptyDir": (_empty_dir,),
    "hostPath": (_host_path,),
    "gitRepo": (_git_repo,),
    "gcePersistentDisk": (_need("pdName"), _partition),
    "awsElasticBlockStore": (_need("volumeID"), _partition),
    "secret": (_need("secretName"), _of_keys),
    "nfs": (_need("server", "path"), _absolute),
    "iscsi": (_iscsi,),
    "glusterfs": (_need("endpoints", "path"),),
    "flocker": (_flocker,),
    "persistentVolumeClaim": (_need("claimName"),),
    "rbd": (_need("monitors", "image"),),
    "cinder": (_need("volumeID"), _need_reference),
    "cephfs": (_need("monitors"),),
    "quobyte": (_quobyte,),
    "downwardAPI": (_downward,),
    "fc": (_fibre_channel,),
    "flexVolume": (_need("driver"), _reserved_options),
    "configMap": (_need("name"), _of_keys),
    "azureFile": (_need("secretName", "shareName"),),
    "vsphereVolume": (_need("volumePath"),),
    "photonPersistentDisk": (_need("pdID"),),
    "portworxVolume": (_need("volumeID"),),
    "azureDisk": (_azure_disk,),
    "storageos": (_storage_os,),
    "projected": (),
    "scaleIO": (_need("gateway", "system", "volumeName"),),
    "csi": (_csi,),
    "ephemeral": (_ephemeral,),
    "image": (_image,),
}
# Sources that messages spell differently: at the source, and in the error of a second source.
SPELLED: Final[Mapping[str, str]] = {"gcePersistentDisk": "persistentDisk"}
SPELLED_SECOND: Final[Mapping[str, str]] = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
