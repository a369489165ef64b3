"""
Files of a release beside wheel and sdist: zipapps, manifests of package managers, an SBOM, checksums, and the text of the release.

Input is a folder with the wheel and the sdist. Output are more files there. Nothing is uploaded.
"""
