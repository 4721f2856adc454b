"""Plans, executors, merging, Parquet tables and resuming; knows nothing of how a game is played."""
