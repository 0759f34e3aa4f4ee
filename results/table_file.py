"""JSON files of tables, for people and diffs to read."""

import json
from typing import Any


def rows_on_lines(document: dict[str, Any]) -> str:
    """A JSON object with a line for each entry, and for each row of a table."""
    lines = []
    for key, value in document.items():
        text = json.dumps(value)
        if isinstance(value, list):
            rows = ",\n    ".join(map(json.dumps, value))
            text = f"[\n    {rows}\n  ]"
        lines.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
