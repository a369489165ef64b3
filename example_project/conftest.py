from controller import conversion, policies

pytest_plugins = ["crd"]


def pytest_crd_manifests():
    return {"policies": policies.CRD}


def pytest_crd_webhooks():
    return {"conversion": conversion.convert}
