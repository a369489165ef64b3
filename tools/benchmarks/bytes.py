"""
The slowest of many mutated files: YAML, kustomizations, Helm templates and admission policies of at most 16 KiB.

Each file must end with an answer or with an error for its author within two seconds of processor time. Any other exception
ends the run with its traceback, after the file was printed.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from oracle.options import UsageError

from benchmarks.figures import Figure
from pytest_crd.casefiles import yamlspans
from pytest_crd.discovery import helmtemplates, kustomizations
from pytest_crd.discovery.filetrees import FolderTree
from pytest_crd.discovery.helmtemplates import TemplateError
from pytest_crd.engine import profile
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.loading.crdfiles import CrdFiles, FileOrigin
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.yamlstream import UnreadableError
from pytest_crd.policies import reading

_MOST_BYTES: Final = 16 << 10
_MOST_SECONDS: Final = 2.0
_PEER: Final = "two seconds"
_CRD: Final = b"""apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com, annotations: {a: "b"}}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: &schema
        type: object
        description: |
          Some "text": 'of' a # widget
        properties:
          size: {type: integer, minimum: 2, default: 3}
          name: {type: string, pattern: "^[a-z]+$", maxLength: 5}
        x-kubernetes-validations: [{rule: "self.size > 1 || self.name.startsWith('a')"}]
"""
_KUSTOMIZATION: Final = b"""resources: [w.yaml]
labels: [{pairs: {a: b}}]
patches:
- target: {kind: CustomResourceDefinition, name: "(w|x)+.*"}
  patch: |
    - {op: add, path: /metadata/labels, value: {x: "y"}}
- patch: |
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: widgets.example.com, labels: {z: "1"}}
"""
_POLICY: Final = b"""apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: a.example.com}
spec:
  failurePolicy: Fail
  matchConstraints: {resourceRules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [widgets]}]}
  variables: [{name: a, expression: "object.size + 1"}]
  validations: [{expression: "variables.a > 2 && object.name.matches('^a')", messageExpression: "'x' + string(variables.a)"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: a.example.com, validationActions: [Deny]}
"""
_TEMPLATE: Final = (
    b"{{- if .Values.crds }}\n" + _CRD.replace(b'{a: "b"}', b"{{ toYaml .Values.a | nindent 4 }}") + b"{{- end }}\n"
)
# Texts that other files have, or that repeat without end in an attack.
_PARTS: Final = (
    *(
        b"{{",
        b"}}",
        b"{{-",
        b" ",
        b"\n",
        b"\t",
        b"#",
        b"# crd: no cov",
        b"---\n",
        b"...\n",
        b"'",
        b'"',
        b"[",
        b"]",
        b"{",
        b"}",
    ),
    *(
        b"&a ",
        b"*a",
        b"!!str ",
        b"? ",
        b"- ",
        b": ",
        b"|\n",
        b">-\n",
        b"\\",
        b"\xff",
        b"\x00",
        b"\xef\xbb\xbf",
        b"\r\n",
        b"<<: ",
        b"0x",
        b"1_0",
    ),
    *(
        b"(a+)+b",
        b".",
        b"~",
        b"self.",
        b"variables.a+",
        b"a: 1\n",
        b"-----BEGIN A-----\n",
        b"9" * 30,
        b"\xc2\x85",
        b"\xed\xa0\x80",
    ),
)


def _mutate(content: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        start = rng.randrange(len(content) + 1)
        end = min(len(content), start + rng.choice((0, 0, 1, 3, 20)))
        kind = rng.random()
        if kind < 0.25:
            added = rng.choice(_PARTS) * rng.choice((1, 1, 2, 50, 2_000, 16_000))
        elif kind < 0.5:
            start = rng.randrange(len(content) + 1)
            added = content[start : start + rng.choice((1, 10, 100))] * rng.choice((1, 2, 200))
        elif kind < 0.75:
            added = bytes(rng.randrange(256) for _ in range(rng.choice((1, 2, 4))))
        else:
            added = b""
            end = min(len(content), start + rng.choice((1, 5, 50)))
        content = (content[:start] + added + content[end:])[:_MOST_BYTES]
    return content


def _read_yaml(content: bytes) -> None:
    files = CrdFiles(profile.DEFAULT)
    files.take(content, source="a.yaml", origin=FileOrigin.CONVENTIONAL, path=Path("a.yaml"))
    manifest.read(content, source="a.yaml")
    yamlspans.find_spans(content.decode())


def _read_template(content: bytes) -> None:
    files = CrdFiles(profile.DEFAULT)
    plain = helmtemplates.remove_actions(content.decode())
    files.take(plain.encode(), source="a.yaml", origin=FileOrigin.CONVENTIONAL, path=Path("a.yaml"))


def _read_kustomization(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "w.yaml").write_bytes(_CRD)
        (folder / "kustomization.yaml").write_bytes(content)
        [crd] = manifest.read(_CRD, source="w.yaml")
        kustomizations.of_folder(FolderTree(folder), ["."]).apply("w.yaml", crd)


def _read_policies(content: bytes) -> None:
    reading.read(manifest.read(content, source="p.yaml"), profile.named(profile.DEFAULT))


_KINDS: Final[Mapping[str, tuple[bytes, Callable[[bytes], None]]]] = {
    "yaml": (_CRD, _read_yaml),
    "template": (_TEMPLATE, _read_template),
    "kustomization": (_KUSTOMIZATION, _read_kustomization),
    "policy": (_POLICY, _read_policies),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the number of files and the seed."""
    parser.add_argument("--files", type=int, default=2_000, metavar="NUMBER", help="number of files (default: 2000)")
    parser.add_argument("--seed", type=int, default=1, metavar="NUMBER", help="seed of the mutations (default: 1)")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Read mutated files, and print the slowest of each kind."""
    if options.files < 1:
        raise UsageError("--files needs a positive number")
    for kind, (content, read) in _KINDS.items():
        slowest = max(_seconds(kind, index, options.seed, content, read) for index in range(options.files))
        print(f"{kind:16} {options.files} files, the slowest in {slowest:.2f} s", flush=True)
        yield Figure(kind, slowest / _MOST_SECONDS, _PEER)


def _seconds(kind: str, index: int, seed: int, content: bytes, read: Callable[[bytes], None]) -> float:
    """Return the time to read a mutated file; print the file if that fails or takes too long."""
    mutated = _mutate(content, random.Random(f"{kind} {index} {seed}"))  # noqa: S311 - no secret
    start = time.process_time()
    try:
        read(mutated)
    except (InputError, TemplateError, UnreadableError, UnicodeDecodeError):
        pass
    except BaseException:
        print(f"{kind} {index}: {mutated!r}")
        raise
    took = time.process_time() - start
    if took > _MOST_SECONDS:
        print(f"{kind} {index}: {took:.1f} s for {mutated!r}", flush=True)
    return took
