"""Values of fields of CertificateSigningRequests: requests with right and wrong signatures, certificates, conditions."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Final

from oracle.generators.validatedkinds import ABSENT, Kind

# Requests and a certificate as PEM. The forged ones have a wrong signature.
PEMS: Final[Mapping[str, str]] = {
    "EC": """
-----BEGIN CERTIFICATE REQUEST-----
MIHFMG4CAQAwDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BJPxvdNCuMa+PmaEbD+NLSdxMTcUk6hezPTMIs8pJHZU/7tqtevTKGbuncllmdDg
AfJzsvOm9fHrEoJDDZSs2OCgADAKBggqhkjOPQQDAgNHADBEAiAX9q4zlsj0r/9r
qAFJEjTtmeHzcwG3f0Atie38iXxjfAIgYKwlurloIvfieHY7k4tMyRMw8SBSFJEV
hZ1MgER1LjY=
-----END CERTIFICATE REQUEST-----
""",
    "RSA": """
-----BEGIN CERTIFICATE REQUEST-----
MIICUTCCATkCAQAwDDEKMAgGA1UEAwwBYTCCASIwDQYJKoZIhvcNAQEBBQADggEP
ADCCAQoCggEBAKvg2TzvXl5PvfYfmeR9JJkWrYWbaiqLVO8oaskWfMegmy2I9CE+
yHE7mhXlvgG5oOiq/Jwm/XTpTBaUti8Agv73jGWK5fh5qX1uVwhBfnjc/Djs+k6n
e8seIf+29QIFfqHn9McQ2e+YabWkA42FN7qVDIOnycRymJtEOX4+ffjqHm2/YrSp
rk29gJlNJCIhwGYpiZ5miJR5ddiW9fCPc5hsPG40DC9hA80iTV+hVXkBp130NQVF
FqfKuuvxnchRe6JKL76GbHVuD/VyZxVdDxnpC6ftwzubkWWi76CpV+GG08o8wmu7
KNRBZqMoZZ/BQoCTtbVRadloWNEBCWw46rcCAwEAAaAAMA0GCSqGSIb3DQEBCwUA
A4IBAQAO52jrGU3NvxDxiCbaJ9HrAJhWsPOFo/8qi8F7KJokuAnx2loWqRpi4pQL
DJnEElIWkg0IURsU/WguNAAxFU+0gMeRytR7uFS7a0OYv2oVB+9VoKG0JlLFKmtP
b31RA/6TkdVNvqq7XngnukfNNqgM1m8VOt0l5/o11h7wujv4sMrxGRjK7Q6Gbk6j
xH0B5mdPkUNz1SpfAuG0b9K4mfhjyqK5PT3jQzVFYPG07/X2znfMB4e3VE0Sob1N
HV3nAtWhpFMOa8dEVPauvFmDfthcKTClLBNjfOysf25SVIQF/iouMa1offoKxq87
1bH9pFYnNMlX+qfGcIkLhhn/xOaO
-----END CERTIFICATE REQUEST-----
""",
    "ED": """
-----BEGIN CERTIFICATE REQUEST-----
MIGLMD8CAQAwDDEKMAgGA1UEAwwBYTAqMAUGAytlcAMhAMfKV2Q2o6ltzXfTlxb9
zLvcJdhWaXp0jFm1sbgZTwKfoAAwBQYDK2VwA0EAw525vmDHfJOg80PfHXUXMGNI
jWV/q0nFznn1Iqu8kRH5NHpk6TieTsTardg+gBiCuVF0/iRnostYpCtd+8LRCg==
-----END CERTIFICATE REQUEST-----
""",
    "MASTERS": """
-----BEGIN CERTIFICATE REQUEST-----
MIHfMIGHAgEAMCUxCjAIBgNVBAMMAWExFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJz
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEk/G900K4xr4+ZoRsP40tJ3ExNxST
qF7M9MwizykkdlT/u2q169MoZu6dyWWZ0OAB8nOy86b18esSgkMNlKzY4KAAMAoG
CCqGSM49BAMCA0cAMEQCIDc/a24ButHE1mCp1h9btt2u/+r82rI4kC3FDHqNoBYA
AiA+mZ6SF8J/AGGDflWUvKHGCsHt1Zx3piakZ6IOYdeswQ==
-----END CERTIFICATE REQUEST-----
""",
    "EC_FORGED": """
-----BEGIN CERTIFICATE REQUEST-----
MIHFMG4CAQAwDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BJPxvdNCuMa+PmaEbD+NLSdxMTcUk6hezPTMIs8pJHZU/7tqtevTKGbuncllmdDg
AfJzsvOm9fHrEoJDDZSs2OCgADAKBggqhkjOPQQDAgNHADBEAiAX9q4zlsj0r/9r
qAFJEjTtmeHzcwG3f0Atie38iXxjfAIgYKwlurloIvfieHY7k4tMyRMw8SBSFJEV
hZ1MgER1Ljc=
-----END CERTIFICATE REQUEST-----
""",
    "RSA_FORGED": """
-----BEGIN CERTIFICATE REQUEST-----
MIICUTCCATkCAQAwDDEKMAgGA1UEAwwBYTCCASIwDQYJKoZIhvcNAQEBBQADggEP
ADCCAQoCggEBAKvg2TzvXl5PvfYfmeR9JJkWrYWbaiqLVO8oaskWfMegmy2I9CE+
yHE7mhXlvgG5oOiq/Jwm/XTpTBaUti8Agv73jGWK5fh5qX1uVwhBfnjc/Djs+k6n
e8seIf+29QIFfqHn9McQ2e+YabWkA42FN7qVDIOnycRymJtEOX4+ffjqHm2/YrSp
rk29gJlNJCIhwGYpiZ5miJR5ddiW9fCPc5hsPG40DC9hA80iTV+hVXkBp130NQVF
FqfKuuvxnchRe6JKL76GbHVuD/VyZxVdDxnpC6ftwzubkWWi76CpV+GG08o8wmu7
KNRBZqMoZZ/BQoCTtbVRadloWNEBCWw46rcCAwEAAaAAMA0GCSqGSIb3DQEBCwUA
A4IBAQAO52jrGU3NvxDxiCbaJ9HrAJhWsPOFo/8qi8F7KJokuAnx2loWqRpi4pQL
DJnEElIWkg0IURsU/WguNAAxFU+0gMeRytR7uFS7a0OYv2oVB+9VoKG0JlLFKmtP
b31RA/6TkdVNvqq7XngnukfNNqgM1m8VOt0l5/o11h7wujv4sMrxGRjK7Q6Gbk6j
xH0B5mdPkUNz1SpfAuG0b9K4mfhjyqK5PT3jQzVFYPG07/X2znfMB4e3VE0Sob1N
HV3nAtWhpFMOa8dEVPauvFmDfthcKTClLBNjfOysf25SVIQF/iouMa1offoKxq87
1bH9pFYnNMlX+qfGcIkLhhn/xOaP
-----END CERTIFICATE REQUEST-----
""",
    "ED_FORGED": """
-----BEGIN CERTIFICATE REQUEST-----
MIGLMD8CAQAwDDEKMAgGA1UEAwwBYTAqMAUGAytlcAMhAMfKV2Q2o6ltzXfTlxb9
zLvcJdhWaXp0jFm1sbgZTwKfoAAwBQYDK2VwA0EAw525vmDHfJOg80PfHXUXMGNI
jWV/q0nFznn1Iqu8kRH5NHpk6TieTsTardg+gBiCuVF0/iRnostYpCtd+8LRCw==
-----END CERTIFICATE REQUEST-----
""",
    "CERT": """
-----BEGIN CERTIFICATE-----
MIIBBjCBraADAgECAgEFMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAWEwIBcNMjQw
MTAxMDAwMDAwWhgPMjA1MTA1MTgwMDAwMDBaMAwxCjAIBgNVBAMMAWEwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAAST8b3TQrjGvj5mhGw/jS0ncTE3FJOoXsz0zCLP
KSR2VP+7arXr0yhm7p3JZZnQ4AHyc7LzpvXx6xKCQw2UrNjgMAoGCCqGSM49BAMC
A0gAMEUCIFnjdl+XmlZvg+YEGzbOINcCh8eRMw5cMTZIHkMAVRC3AiEAraUvUkhL
pQFxHpEMLcl1A2TZZn5C8b7yk605gSZEtF4=
-----END CERTIFICATE-----
""",
}


def encode(*texts: str) -> str:
    """Return PEM as a field has it."""
    return base64.b64encode("".join(text.removeprefix("\n") for text in texts).encode()).decode()


_EC, _CERTIFICATE = PEMS["EC"], PEMS["CERT"]
_HEADED: Final = "-----\nA: b\n\n"
_CONDITION: Final = {"type": "Approved", "status": "True"}


def _with(*kinds: str, **fields: str) -> Sequence[Any]:
    return [{**_CONDITION, "type": kind, **fields} for kind in kinds]


KINDS: Final[Mapping[str, Kind]] = {
    "certificates.k8s.io/v1 CertificateSigningRequest": Kind(
        "/apis/certificates.k8s.io/v1/certificatesigningrequests",
        {"spec": {"request": encode(_EC), "usages": ["client auth"], "signerName": "example.com/signer"}},
        {
            "spec.request": (
                *(encode(text) for text in PEMS.values()),
                *(encode("x"), "", None, ABSENT, encode(_EC, "tail"), encode("head\n", _EC)),
                *(encode(_EC, _CERTIFICATE), encode(_CERTIFICATE, _EC)),
                encode(_EC.replace("CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST")),
                encode(_EC.replace("-----\n", _HEADED, 1)),
                encode("-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n"),
            ),
            "spec.usages": (
                *([], None, ABSENT, ["x"], ["client auth", "client auth"], ["<b>", "<b>"], ["any", "s/mime", "x"]),
                *(["digital signature", "key encipherment", "server auth"], [""], ["any", "x", "any", "x"]),
            ),
            "spec.signerName": (
                *("", None, ABSENT, "a", "kubernetes.io/legacy-unknown", "kubernetes.io/kubelet-serving", "a/b"),
                *("a.b/c/d", "A.b/c", "<b>", "a.b/", "a.b/C_d", f"{'a' * 63}.b/{'c' * 510}", f"a.{'b.' * 130}c/d"),
            ),
            "spec.expirationSeconds": (0, 599, 600, -1, None, 2147483647),
            "spec.username": ("someone", "", None),
            "spec.groups": (["a"], []),
            "status.conditions": (
                *([], None, [{}], _with("Approved"), _with("Denied"), _with("Failed"), _with("Approved", "Denied")),
                *(_with("Denied", "Approved", "Approved", "Denied"), _with("Approved", "Failed"), _with("X", "X")),
                *(_with("X", status="False"), _with("Approved", status="False"), _with("<b>", status="<b>"), _with("")),
                *(_with("Approved", reason="other"), _with("Denied", reason="r"), _with("", "", status="")),
                [*_with("X", status="Maybe"), *_with("Approved", lastTransitionTime="2024-01-02T03:04:05Z")],
            ),
            "status.certificate": (
                *(encode(_CERTIFICATE), encode(_CERTIFICATE, _CERTIFICATE), encode("x"), "", None, encode(_EC)),
                *(encode(_CERTIFICATE.replace("-----\n", _HEADED, 1)), encode(_CERTIFICATE, _EC)),
                *(
                    encode("x\n", _CERTIFICATE, "y"),
                    encode("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"),
                ),
                encode("-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n"),
            ),
            "status": ({}, {"conditions": _with("Approved"), "certificate": encode(_CERTIFICATE)}),
        },
        ("status", "approval"),
        mutated=0.2,
    ),
}
