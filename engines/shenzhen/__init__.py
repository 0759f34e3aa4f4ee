"""Shenzhen solitaire, the patience of SHENZHEN I/O: rules, exact solver, advice, board reader."""
