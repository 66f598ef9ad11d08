"""Which claim keys are in use, and by which source: a new claim must not be given another source's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from warehouse.database import Database
from warehouse.identity import stem


class KeysInUse:
    """The keys of all claims, looked up once and then kept in memory, for as long as one writer has the ledger.

    Asked of the table for each page, they would make a page dearer the more pages there are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._source_of: dict[str, str] | None = None
        self._counted: dict[str, list[str]] = defaultdict(list)
        """By key without its count, the keys that have one."""

    def of_others(self, source_id: str, keys: Iterable[str]) -> frozenset[str]:
        """Keys of other sources that a claim with one of these keys could otherwise be given."""
        owners = self._owners()
        stems = {stem(key) for key in keys}
        named = stems.union(*(self._counted.get(one, ()) for one in stems))
        return frozenset(key for key in named if owners.get(key, source_id) != source_id)

    def add(self, source_id: str, keys: Iterable[str]) -> None:
        """To be told of what was stored, once it is."""
        if self._source_of is not None:
            self._learn((key, source_id) for key in keys)

    def _owners(self) -> dict[str, str]:
        if self._source_of is None:
            self._source_of = {}
            rows = self._database.rows(
                "SELECT claim_key, source_id FROM stored.claim_versions WHERE version = 1"
            )
            self._learn((row["claim_key"], row["source_id"]) for row in rows)
        return self._source_of

    def _learn(self, owned: Iterable[tuple[str, str]]) -> None:
        owners = self._owners()
        for key, source_id in owned:
            if key not in owners and stem(key) != key:
                self._counted[stem(key)].append(key)
            owners[key] = source_id
