"""What jobs of matches share: rows, estimates, and players from outside."""
