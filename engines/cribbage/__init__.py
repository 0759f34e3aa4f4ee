"""Cribbage for two: rules, scoring, a brain that sees only what is public, and its tiers."""
