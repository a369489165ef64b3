"""Operator that sets the phase of new backups to Pending, and again after each change of their schedule."""

import kopf
from controller.models import BackupSpec


@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = False  # no events
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage()


@kopf.on.create("storage.example.com", "v1", "backups")
@kopf.on.update("storage.example.com", "v1", "backups", field="spec.schedule")
def schedule(spec, patch, logger, **_):
    backup = BackupSpec.model_validate(dict(spec))
    logger.info("backups are kept for %s days", backup.retention.days)
    patch.status["phase"] = "Pending"
