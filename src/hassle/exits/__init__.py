"""A model in the languages of others: CPMpy, CP-SAT, PySAT, MiniZinc, linear programmes, a script, a frame.

Each exit has a module of its own, imported when it is used (:class:`hassle.Model` has a door to each). All say the
same: columns become variables of their names, every rule is one described group of constraints, and what is maximised
is the model's value counted in its unit, so that solvers compute with whole numbers and agree to the last digit. A
context is fixed by asking ``model.given(context)`` for the model in which it must hold.
"""
