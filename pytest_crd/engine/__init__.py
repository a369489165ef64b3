"""
Behaviour of kube-apiserver for CustomResourceDefinitions and custom resources, without pytest and network.

Only `manifest` reads files. Answers are data; exceptions report a mistake in the input (`InputError`) or misuse.
"""

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


def __dir__() -> list[str]:
    """Return the public names; the modules behind them are private."""
    return __all__
