"""What lines with deals have in common in all games: JSON of known keys, an id, a verdict."""

import json
from typing import Any

from engines.limits import DECIDED, Outcome


class DealError(ValueError):
    """Text that is no deal, or no position, of a game."""


def read_object(text: str, known: frozenset[str]) -> dict[str, Any]:
    """The JSON object of a text; raises DealError for other text and for keys not known."""
    try:
        fields = json.loads(text, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno} " if error.lineno > 1 else ""
        reason = f"{error.msg} at {line}column {error.colno}"
        raise DealError(f"expected a JSON object, which fails: {reason}") from None
    except (ValueError, RecursionError) as error:
        raise DealError(f"expected a JSON object, which fails: {error}") from None
    if not isinstance(fields, dict):
        raise DealError(f"expected a JSON object, got {text.strip()[:40]!r}")
    if unknown := sorted(set(fields) - known):
        raise DealError(f"unknown key {unknown[0]!r}; known are {', '.join(sorted(known))}")
    return fields


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if key in fields:
            raise ValueError(f"key {key!r} comes twice")
        fields[key] = value
    return fields


def without_none(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a line that say something."""
    return {key: value for key, value in fields.items() if value is not None}


def read_id(fields: dict[str, Any]) -> str | None:
    """The key `id`, None where it is left out; raises DealError unless it is a text."""
    identifier = fields.get("id")
    if identifier is not None and not isinstance(identifier, str):
        raise DealError(f"expected 'id' to be a text, got {identifier!r}")
    return identifier


def read_verdict(fields: dict[str, Any]) -> Outcome | None:
    """The key `verdict`, None where it is left out; raises DealError unless it is a decision."""
    verdict = fields.get("verdict")
    if verdict is None:
        return None
    if verdict not in (decided := sorted(DECIDED)):
        words = ", ".join(decided)
        raise DealError(f"expected 'verdict' to be one of {words}, got {verdict!r}")
    return Outcome(verdict)
