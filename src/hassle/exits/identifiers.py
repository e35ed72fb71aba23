"""Names for languages that take identifiers only: short, unlike each other, and as near to the original as can be."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable


def identifiers(names: Iterable[str], taken: Collection[str] = ()) -> dict[str, str]:
    """An identifier of ASCII letters, digits and underscores for every name; none is one of those ``taken``."""
    used = {word.lower() for word in taken}
    result = {}
    for name in names:
        wanted = identifier(name)
        chosen, number = wanted, 2
        while chosen.lower() in used:  # some languages do not tell capitals
            chosen, number = f"{wanted}_{number}", number + 1
        used.add(chosen.lower())
        result[name] = chosen
    return result


def identifier(name: str) -> str:
    plain = name.replace(">=", "_ge_").replace("=", "_is_")
    ascii_only = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    cleaned = re.sub(r"[^A-Za-z0-9]+", "_", ascii_only).strip("_")
    return cleaned if cleaned[:1].isalpha() else f"v_{cleaned}".rstrip("_")
