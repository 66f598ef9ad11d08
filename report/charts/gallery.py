"""The pictures of one edition: each drawn once, kept in a file of its own, and shown wherever a page asks for it."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from report.charts import of_all, of_cards
from report.edition import Edition, file_name
from report.model import Card
from report.rendering import render
from report.standing import matrices

Save = Callable[[str, str], None]
"""Takes a file's name within the edition, and its text."""


class Gallery:
    """Draws the pictures of an edition. A picture that would show nothing is left out, and so is its place."""

    def __init__(self, edition: Edition, save: Save) -> None:
        self._edition = edition
        self._save = save
        self._drawn: dict[str, str] = {}

    def of_card(self, card: Card, name: str, up: str) -> Markup:
        """A picture of a scorecard (`ranks`, `matrix`, `worth`, `turns`, `history`) as the page shows it."""
        edition = self._edition
        words = edition.card_name(card)
        stem = f"charts/{file_name(card.id)}-{name}"
        if name == "matrix":
            shown = [
                self._place(
                    f"{stem}-{found.kind}",
                    lambda found=found: of_cards.matrix(edition, card, found),  # type: ignore[misc]
                    edition.says(f"chart.matrix_{found.kind}", card=words),
                    up,
                )
                for found in matrices(edition, card)
            ]
            return Markup("").join(shown)
        if name == "history":
            shown = [
                self._place(
                    f"{stem}-{variant}",
                    lambda variant=variant: of_cards.history(edition, card, variant),  # type: ignore[misc]
                    edition.says(f"chart.history_{variant}", card=words),
                    up,
                )
                for variant in ("standing", "derived")
            ]
            return Markup("").join(shown)
        draw = {"ranks": of_cards.ranks, "worth": of_cards.worth, "turns": of_cards.turns}[name]
        return self._place(stem, lambda: draw(edition, card), edition.says(f"chart.{name}", card=words), up)

    def coverage(self, up: str) -> Markup:
        """Which metrics each vendor states."""
        return self._place(
            "charts/coverage",
            lambda: of_all.coverage(self._edition),
            self._edition.says("chart.coverage"),
            up,
        )

    def claims_over_time(self, vendor: str, up: str) -> Markup:
        """How a vendor's claims changed."""
        edition = self._edition
        told = edition.says("chart.claims_over_time", vendor=edition.in_sentence(vendor))
        return self._place(
            f"charts/claims-{file_name(vendor)}",
            lambda: of_all.claims_over_time(edition, vendor),
            told.strip(),
            up,
        )

    def _place(self, stem: str, draw: Callable[[], str], words: str, up: str) -> Markup:
        svg = self._drawn.get(stem)
        if svg is None:
            svg = self._drawn[stem] = draw()
            if svg:
                self._save(f"{stem}.svg", svg)
        if not svg:
            return Markup("")
        # The page's own templates escaped what is filled in.
        return Markup(render("picture.html", src=f"{up}{stem}.svg", words=words))  # noqa: S704
