"""The desk's forms: what came, as decisions and as what was seen of their flags."""

from __future__ import annotations

from schemas.decision import Decision, DecisionKind, Seen


class Form:
    """The fields of a form that came."""

    def __init__(self, fields: dict[str, list[str]]) -> None:
        self._fields = fields

    def one(self, name: str) -> str:
        """The field's first value; empty where it did not come."""
        return self._fields.get(name, [""])[0]

    def all(self, name: str) -> list[str]:
        """All of its values."""
        return self._fields.get(name, [])

    def corrections(self) -> dict[str, str]:
        """The fields that are to be corrected, those that were left empty left out."""
        return {
            name.removeprefix("correct."): values[0]
            for name, values in self._fields.items()
            if name.startswith("correct.") and values[0].strip()
        }


_KINDS = {
    "reading": DecisionKind.READING,
    "unsure": DecisionKind.UNSURE,
    "ask_vendor": DecisionKind.ASK_VENDOR,
    "reject": DecisionKind.REJECTED,
    "correct": DecisionKind.CORRECTED,
}


def given(subject: str, action: str, reading: str, form: Form, who: str) -> tuple[Decision, Seen]:
    """A decision and what was seen of its flag. ValueError where the form does not say what it is about."""
    flag_id, version, decision_id = subject.rsplit("|", 2)
    key, _, name = flag_id.rpartition(":")
    kind = _KINDS.get(action)
    if kind is None:
        raise ValueError(action)
    decision = Decision(
        claim_key=key,
        flag=name,
        kind=kind,
        reading=reading if kind is DecisionKind.READING else "",
        corrections=form.corrections() if kind is DecisionKind.CORRECTED else {},
        source=form.one("source") if kind is DecisionKind.CORRECTED else "",
        who=who,
        note=form.one("note")[:4000],
    )
    return decision, Seen(version=int(version), decision_id=int(decision_id))
