"""Klondike with all cards known ("thoughtful"): deals, plain rules, solvers."""
