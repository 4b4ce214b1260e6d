"""Kubernetes objects, as ``kubectl get -o json`` prints them, to instances."""

from .importer import Imported, Options, import_kubernetes
from .settings import Settings

__all__ = ["Imported", "Options", "Settings", "import_kubernetes"]
