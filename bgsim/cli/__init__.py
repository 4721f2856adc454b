"""Arguments, progress and sentences; no computation. Command files import only typer at their top."""
