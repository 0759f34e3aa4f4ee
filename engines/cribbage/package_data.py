"""Tables that come with the package, each a JSON file that says how it came about."""

import json
from importlib.resources import files
from typing import Any


def read_document(name: str) -> dict[str, Any]:
    """All of a file of this folder."""
    text = files("engines.cribbage").joinpath(name).read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document
