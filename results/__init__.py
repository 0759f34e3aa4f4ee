"""What came out of a run: Parquet shards, statistics, benchmark JSON. Knows no game and no farm."""
