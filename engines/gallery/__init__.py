"""The two-deck patience Gallery."""
