"""
AppArmor profiles of containers in annotations of a Pod, which are older than the field.

Reference:
    kubernetes pkg/registry/core/pod/strategy.go, applyAppArmorVersionSkew; pkg/api/pod/util.go, ApparmorFieldForAnnotation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

ANNOTATION: Final = "container.apparmor.security.beta.kubernetes.io/"
"""The beginning of the annotations, which end with the name of a container."""
LOCAL: Final = "localhost/"
LONGEST_PROFILE: Final = 4095
KINDS: Final = ("initContainers", "containers", "ephemeralContainers")
_MODES: Final = {"runtime/default": "RuntimeDefault", "unconfined": "Unconfined"}


def profile_of(annotation: str) -> dict[str, str] | None:
    """Return the AppArmor profile that an annotation means."""
    if annotation in _MODES:
        return {"type": _MODES[annotation]}
    local = annotation.removeprefix(LOCAL)
    return {"type": "Localhost", "localhostProfile": local} if local and local != annotation else None


def find_profiles(pod: Mapping[str, Any]) -> dict[str, dict[str, str] | None]:
    """
    Return the AppArmor profiles that only annotations of a Pod give, by the name of the container.

    A profile is None if the annotation means no valid one.
    """
    spec, annotations = pod.get("spec") or {}, pod["metadata"].get("annotations") or {}
    if not annotations or (spec.get("os") or {}).get("name") == "windows":
        return {}
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    profiles: dict[str, dict[str, str] | None] = {}
    for container in (container for kind in KINDS for container in spec.get(kind) or ()):
        name = container.get("name") or ""
        annotation = annotations.get(f"{ANNOTATION}{name}")
        if annotation is None or (container.get("securityContext") or {}).get("appArmorProfile") is not None:
            continue
        profile = profile_of(annotation)
        local = (profile or {}).get("localhostProfile", "")
        if local != local.strip() or len(local.encode()) > LONGEST_PROFILE:
            profile = None
        if profile is None or profile != of_pod:
            profiles[name] = profile
    return profiles
