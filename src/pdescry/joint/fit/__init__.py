"""Fields and law against the readings: one law, its fields and coefficients inferred together.

Read first ``objective.py`` (what is minimised) and ``experiment.py`` (its parts), then ``stages.py`` (how the minimum
is reached) and ``known_edges.py`` (finer meshes in the plane), ``operator.py`` (the law), ``noise_model.py``,
``calibration.py`` and ``sensor_errors.py`` (how readings differ from fields), ``held_out.py`` (leave-one-sensor-out),
``shared_errors.py`` (how much that counts) and ``factor.py`` (the linear algebra).
"""
