"""The spec of a backup, as the handlers use it."""

from typing import Literal

from pydantic import BaseModel, Field


class Retention(BaseModel):
    days: int = Field(30, ge=1)
    keepLast: int = 3  # noqa: N815 - as in manifests


class Volume(BaseModel):
    name: str
    path: str = "/"
    exclude: list[str] = []


class BackupSpec(BaseModel):
    schedule: str = Field(min_length=1)
    retention: Retention = Field(default_factory=Retention)
    compression: Literal["none", "gzip", "zstd"] = "zstd"
    parallelism: int | str = 1
    bandwidth: str | None = "10Mi"
    labels: dict[str, str] = {}
    volumes: list[Volume] = []
