"""What is verified of claims: one module a check, each with its own version, all pure functions over schemas."""

from extractors.checks.on_page import check_claim

__all__ = ["check_claim"]
