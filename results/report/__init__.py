"""The page that `farm report` writes: its parts as data, its charts, its template."""
