"""What jobs say in a report."""
