"""Fields: `Axis` and `Space` (splines), the mesh, Gaussian processes without a law, and the initial field of a fit."""
