"""The exact engine: snapshot, bounds, regions, and a model for each region that matters."""
