"""The games: rules, solvers and players. Pure: no Ray, no clock, no global random state."""
