"""
The table of clients: the functions that see an address, and the places that keep a configuration.

A request function sees each request, whoever made the client and when. Other functions refuse earlier, before credentials are fetched.
"""

from __future__ import annotations

import enum
import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple


class When(enum.Enum):
    """Time at which the address of a function is available."""

    BEFORE = "before the call"
    AFTER = "after the call, from its first argument or its result"


class Client(NamedTuple):
    """
    A client library.

    Attributes:
        name: Its name in messages.
        advice: The way to the server of `$KUBECONFIG`.
    """

    name: str
    advice: str


class PatchedFunction(NamedTuple):
    """
    A function of a client that sees the address of a server.

    Attributes:
        client: The client.
        module: The module of the function.
        path: The name of the function in its module, `Class.method` or `function`.
        address: Returns the address; of the call's arguments, or of its result and arguments.
        when: When the address is known.
        is_request: True if each request passes the function; a client without it is refused.
    """

    client: Client
    module: str
    path: str
    address: Callable[..., str | None]
    when: When = When.BEFORE
    is_request: bool = False


class AccountLoader(NamedTuple):
    """
    A function that reads the service account of a pod, also where no environment variable names the pod's API server.

    Attributes:
        module: The module of the function.
        path: The name of the class method in its module.
        error: Returns the exception that means "not in a pod" to its callers, of the module.
    """

    module: str
    path: str
    error: Callable[[Any], type[Exception]]


class KubeconfigConstant(NamedTuple):
    """
    A copy of `$KUBECONFIG` that a module takes when it is imported.

    Attributes:
        module: The module.
        name: The name of the constant.
        default: Returns its value if `$KUBECONFIG` is not set.
    """

    module: str
    name: str
    default: Callable[[], str]


class Default(NamedTuple):
    """
    A configuration or client that a class caches for later calls.

    Attributes:
        module: The module of the class.
        owner: The name of the class.
        name: The attribute.
        loader: Returns the module whose `load_kube_config` makes another configuration; None if None is enough.
    """

    module: str
    owner: str
    name: str
    loader: Callable[[], Any] | None = None


def _url(client: object, method: str, url: str, *args: object, **options: object) -> str:
    del client, method, args, options
    return url


def _socket_url(configuration: object, url: str, *args: object, **options: object) -> str:
    del configuration, args, options
    return url


def _cluster_server(loader: Any, *args: object, **options: object) -> str | None:
    del args, options
    cluster = getattr(loader, "_cluster", None)
    return cluster["server"] if cluster is not None and "server" in cluster else None


def _official(prefix: str, advice: str) -> tuple[PatchedFunction, ...]:
    client = Client(prefix, advice)
    return (
        PatchedFunction(client, f"{prefix}.client.rest", "RESTClientObject.request", _url, is_request=True),
        PatchedFunction(client, f"{prefix}.config.kube_config", "KubeConfigLoader.load_and_set", _cluster_server),
    )


_KUBERNETES: Final = (
    "write kubernetes.config.load_kube_config() without arguments, in the test or in a function that it calls"
)
_ASYNCIO: Final = "write await kubernetes_asyncio.config.load_kube_config() without arguments, in the test"
_AIO: Final = "write await kubernetes.aio.config.load_kube_config() without arguments, in the test"
_KR8S: Final = Client("kr8s", "write kr8s.api() without arguments, in the test or in a function that it calls")
_LIGHTKUBE: Final = Client("lightkube", "write lightkube.Client() without a configuration, in the test or in a function that it calls")  # fmt: skip
_PYKUBE: Final = Client("pykube", "write pykube.HTTPClient(pykube.KubeConfig.from_env()), in the test or in a function that it calls")  # fmt: skip
_KOPF: Final = Client("kopf", "leave the login to kopf, or read $KUBECONFIG in the login handler")


def _server_in_result(cluster: Any, *args: object, **options: object) -> str | None:
    del args, options
    return cluster.get("server")  # type: ignore[no-any-return]


PATCHED: Final[tuple[PatchedFunction, ...]] = (
    *_official("kubernetes", _KUBERNETES),
    PatchedFunction(Client("kubernetes", _KUBERNETES), "kubernetes.stream.ws_client", "create_websocket", _socket_url),
    *_official("kubernetes_asyncio", _ASYNCIO),
    PatchedFunction(Client("kubernetes_asyncio", _ASYNCIO), "kubernetes_asyncio.stream.ws_client", "WsApiClient.request", _url),
    *_official("kubernetes.aio", _AIO),
    PatchedFunction(Client("kubernetes.aio", _AIO), "kubernetes.aio.stream.ws_client", "WsApiClient.request", _url),
    PatchedFunction(_KR8S, "kr8s._api", "Api.call_api", lambda api, *_, **__: api.auth.server, is_request=True),
    PatchedFunction(_KR8S, "kr8s._api", "Api.open_websocket", lambda api, *_, **__: api.auth.server),
    PatchedFunction(_KR8S, "kr8s._auth", "KubeAuth.reauthenticate", lambda auth, *_, **__: auth._url or None),  # noqa: SLF001
    PatchedFunction(_KR8S, "kr8s._config", "KubeConfigSet.get_cluster", _server_in_result, When.AFTER),
    PatchedFunction(
        _LIGHTKUBE, "lightkube.core.generic_client", "GenericClient.prepare_request",
        lambda client, *_, **__: client.config.cluster.server, is_request=True,
    ),
    PatchedFunction(_LIGHTKUBE, "lightkube.core.generic_client", "GenericSyncClient.send", lambda _, request, *__, **___: str(request.url)),
    PatchedFunction(_LIGHTKUBE, "lightkube.core.generic_client", "GenericAsyncClient.send", lambda _, request, *__, **___: str(request.url)),
    PatchedFunction(
        _LIGHTKUBE, "lightkube.core.generic_client", "GenericClient.__init__",
        lambda _, client, *__, **___: client.config.cluster.server, When.AFTER,
    ),
    PatchedFunction(_PYKUBE, "pykube.http", "HTTPClient.get_kwargs", lambda client, **_: client.url, is_request=True),
    PatchedFunction(_PYKUBE, "pykube.http", "KubernetesHTTPAdapter.send", lambda _, request, *__, **___: request.url),
    PatchedFunction(_PYKUBE, "pykube.http", "HTTPClient.__init__", lambda _, client, *__, **___: client.url, When.AFTER),
    PatchedFunction(
        _KOPF, "kopf._cogs.structs.credentials", "Vault.select",
        lambda item, *_, **__: item[1].info.server, When.AFTER, is_request=True,
    ),
    PatchedFunction(
        _KOPF, "kopf._cogs.structs.credentials", "ConnectionInfo.__init__",
        lambda _, info, *__, **___: info.server, When.AFTER,
    ),
)  # fmt: skip
ACCOUNT_LOADERS: Final[tuple[AccountLoader, ...]] = (
    AccountLoader(
        "lightkube.config.kubeconfig", "KubeConfig.from_service_account", lambda module: module.exceptions.ConfigError
    ),
    AccountLoader("pykube.config", "KubeConfig.from_service_account", lambda _: FileNotFoundError),
)
# The environment variables that name the API server of a pod.
ACCOUNT_VARIABLES: Final = ("KUBERNETES_SERVICE_HOST", "PYKUBE_KUBERNETES_SERVICE_HOST")


def _in_home() -> str:
    return (Path.home() / ".kube/config").as_posix()


CONSTANTS: Final[tuple[KubeconfigConstant, ...]] = tuple(
    KubeconfigConstant(f"{prefix}.config{part}", "KUBE_CONFIG_DEFAULT_LOCATION", default)
    for prefix, default in (
        ("kubernetes", lambda: "~/.kube/config"),
        ("kubernetes_asyncio", _in_home),
        ("kubernetes.aio", _in_home),
    )
    for part in ("", ".kube_config")
)
DEFAULTS: Final[tuple[Default, ...]] = tuple(
    default
    for prefix, loader in (
        ("kubernetes", lambda: importlib.import_module("kubernetes.config.kube_config")),
        ("kubernetes_asyncio", lambda: importlib.import_module("kubernetes_asyncio.config.kube_config")),
        ("kubernetes.aio", lambda: importlib.import_module("kubernetes.aio.config.kube_config")),
    )
    for default in (
        Default(f"{prefix}.client.configuration", "Configuration", "_default", loader),
        Default(f"{prefix}.client.api_client", "ApiClient", "_default"),
    )
)
# The modules in which functions are replaced after their import.
MODULES: Final = frozenset(
    {*(function.module for function in PATCHED), *(account.module for account in ACCOUNT_LOADERS)}
)

# Variables that choose another server or certificate in a client, in helm or in the Kubernetes modules of Ansible.
UNSET: Final = (
    *ACCOUNT_VARIABLES,
    "KUBERNETES_SERVICE_PORT",
    "PYKUBE_KUBERNETES_SERVICE_PORT",
    "PYKUBE_SSL_CERTIFICATE_AUTHORITY",
    "KUBERNETES_MASTER",
    "HELM_KUBEAPISERVER",
    "HELM_KUBECONTEXT",
    "K8S_AUTH_CONTEXT",
    "K8S_AUTH_HOST",
    "K8S_AUTH_KUBECONFIG",
)
PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def has_proxy() -> bool:
    """Return True if the environment names a proxy."""
    return any(os.environ.get(name) or os.environ.get(name.lower()) for name in PROXIES)
