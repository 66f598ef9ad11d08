"""The scorer, which ships with Koujing: see `flows.scoring`."""

from flows.scoring import (
    ATTRIBUTES,
    Row,
    Score,
    Tally,
    _alt,
    _free,
    _pairs,
    _quote,
    _same_amount,
    _same_capability,
    _same_claim,
    digest,
    predict,
    read_labels,
    score,
)

__all__ = [
    "ATTRIBUTES",
    "Row",
    "Score",
    "Tally",
    "_alt",
    "_free",
    "_pairs",
    "_quote",
    "_same_amount",
    "_same_capability",
    "_same_claim",
    "digest",
    "predict",
    "read_labels",
    "score",
]
