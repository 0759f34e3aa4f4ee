"""What the tests of jobs share that make a table for an engine."""

from types import SimpleNamespace


def artifact_text(job, spec, table):
    """A job's one file, of rows as the job reads them, made by "farm run this"."""
    asked = []

    def read(columns):
        asked.extend(columns)
        return table.select(columns)

    texts = job.artifacts(spec, read, SimpleNamespace(command="farm run this"))
    assert list(texts) == [job.FILE]
    assert set(asked) <= set(job.SCHEMA.names)
    return texts[job.FILE]
