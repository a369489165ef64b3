"""The conversion webhook of BackupLocations: v1alpha1 has the name of a Secret, v1 also the key in it."""

# The annotation with the key, which v1alpha1 has no field for.
KEY = "storage.example.com/key"


def convert(review):
    """Return the response to a ConversionReview."""
    request = review["request"]
    version = request["desiredAPIVersion"]
    change = _to_v1 if version.endswith("/v1") else _to_v1alpha1
    objects = [{**change(location), "apiVersion": version} for location in request["objects"]]
    return {"result": {"status": "Success"}, "convertedObjects": objects}


def _to_v1(location):
    annotations = dict(location["metadata"].get("annotations", {}))
    spec = dict(location.get("spec", {}))
    credentials = {}
    if "secretName" in spec:
        credentials["secretName"] = spec.pop("secretName")
    if KEY in annotations:
        credentials["key"] = annotations.pop(KEY)
    if credentials:
        spec["credentials"] = credentials
    return _changed(location, annotations, spec)


def _to_v1alpha1(location):
    annotations = dict(location["metadata"].get("annotations", {}))
    spec = dict(location.get("spec", {}))
    credentials = spec.pop("credentials", {})
    if "secretName" in credentials:
        spec["secretName"] = credentials["secretName"]
    if "key" in credentials:
        annotations[KEY] = credentials["key"]
    return _changed(location, annotations, spec)


def _changed(location, annotations, spec):
    own = {"spec": spec} if "spec" in location else {}
    return {**location, "metadata": {**location["metadata"], "annotations": annotations}, **own}
