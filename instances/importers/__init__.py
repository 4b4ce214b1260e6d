"""Readers of what real tools print: one folder or file a source."""
