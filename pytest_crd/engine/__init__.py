"""
Behaviour of kube-apiserver for CustomResourceDefinitions and custom resources, without pytest and network.

Manifests and objects come in, answers go out as data; exceptions report a mistake in the input (`InputError`) or misuse. Only `yaml.manifest` reads
files. `loading` gets the CRDs of a project, `crds` decides whether a server accepts them, and `api` has them as objects. `client` makes a request, and
`registry` answers it: it runs `passes` and sets `metadata`, then validates with `metadata`, `values` and `rules`, which ask `cel`. `openapi`
publishes schemas.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pytest_crd.engine.api.customresourcedefinition import CrdLookupError, CrdVersion, CustomResourceDefinition
    from pytest_crd.engine.api.version import NotStructuralError
    from pytest_crd.engine.cel.errors import UnsupportedExpressionError
    from pytest_crd.engine.crds.condition import Condition
    from pytest_crd.engine.crds.rule import Rule
    from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
    from pytest_crd.engine.golang.decoding import DecodeError
    from pytest_crd.engine.inputerror import CrdError, InputError, ManifestError, Mistake
    from pytest_crd.engine.loading.projectcrds import CustomResourceDefinitions, load
    from pytest_crd.engine.passes.versionpasses import Defaulted, Pruned
    from pytest_crd.engine.profile import UnknownVersionError
    from pytest_crd.engine.registry.conversion import UnknownConversionError
    from pytest_crd.engine.registry.requestbody import FieldValidation
    from pytest_crd.engine.registry.response import NotAcceptedError, Response
    from pytest_crd.engine.schema.structural import UnsupportedConstructError

__all__ = [
    "Condition",
    "CrdError",
    "CrdLookupError",
    "CrdVersion",
    "CustomResourceDefinition",
    "CustomResourceDefinitions",
    "DecodeError",
    "Defaulted",
    "ErrorType",
    "FieldError",
    "FieldValidation",
    "InputError",
    "ManifestError",
    "Mistake",
    "NotAcceptedError",
    "NotStructuralError",
    "Pruned",
    "Response",
    "Rule",
    "UnknownConversionError",
    "UnknownVersionError",
    "UnsupportedConstructError",
    "UnsupportedExpressionError",
    "load",
]

# A listing of cases needs no requests, and few sessions need all names.
_MODULES: Final = {
    "Condition": "crds.condition",
    "CrdError": "inputerror",
    "CrdLookupError": "api.customresourcedefinition",
    "CrdVersion": "api.customresourcedefinition",
    "CustomResourceDefinition": "api.customresourcedefinition",
    "CustomResourceDefinitions": "loading.projectcrds",
    "DecodeError": "golang.decoding",
    "Defaulted": "passes.versionpasses",
    "ErrorType": "errors.fielderror",
    "FieldError": "errors.fielderror",
    "FieldValidation": "registry.requestbody",
    "InputError": "inputerror",
    "ManifestError": "inputerror",
    "Mistake": "inputerror",
    "NotAcceptedError": "registry.response",
    "NotStructuralError": "api.version",
    "Pruned": "passes.versionpasses",
    "Response": "registry.response",
    "Rule": "crds.rule",
    "UnknownConversionError": "registry.conversion",
    "UnknownVersionError": "profile",
    "UnsupportedConstructError": "schema.structural",
    "UnsupportedExpressionError": "cel.errors",
    "load": "loading.projectcrds",
}


if not TYPE_CHECKING:  # pragma: no branch - so that type checkers know the names above and no others

    def __getattr__(name: str) -> Any:
        """Import a public name on first use."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        return value


def __dir__() -> list[str]:
    """Return the public names; the modules behind them are private."""
    return __all__
