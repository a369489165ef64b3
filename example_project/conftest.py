from controller import policies

pytest_plugins = ["crd"]


def pytest_crd_manifests():
    return {"policies": policies.CRD}
