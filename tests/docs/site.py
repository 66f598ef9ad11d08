"""`python -m tests.docs.site FOLDER` looks at the built site: every page is there, and nothing is asked of another host.

Exits with 1 and says what is wrong. `make site` runs it; MkDocs itself looks at the links.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.docs.fences import DOCS

_ASKED = re.compile(
    r"""<(?:script|img|iframe|source|audio|video)\b[^>]*?\bsrc=["']?(?:https?:)?//[^\s>"']+"""
    r"""|<link\b[^>]*?\brel=["']?(?:stylesheet|preload|prefetch|preconnect|icon|dns-prefetch)\b[^>]*?\bhref=["']?(?:https?:)?//[^\s>"']+"""
    r"""|<link\b[^>]*?\bhref=["']?(?:https?:)?//[^\s>"']+["']?[^>]*?\brel=["']?(?:stylesheet|preload|prefetch|preconnect|icon)""",
    re.IGNORECASE,
)
_STYLE_ASKS = re.compile(r"""(?:@import\s+(?:url\()?|url\()\s*["']?(?:https?:)?//[^\s)"']+""", re.IGNORECASE)


def faults(site: Path) -> list[str]:
    """What is wrong with a built site, a sentence each."""
    pages = [page.relative_to(DOCS).with_suffix(".html") for page in sorted(DOCS.rglob("*.md"))]
    found = [f"{page} was not built" for page in pages if not (site / page).is_file()]
    for pattern, files in ((_ASKED, "*.html"), (_STYLE_ASKS, "*.css")):
        for file in sorted(site.rglob(files)):
            asked = pattern.findall(file.read_text(encoding="utf-8"))
            found += [f"{file.relative_to(site)} asks another host: {each}" for each in asked]
    for file in sorted(site.rglob("*.html")):
        if "<p>```" in file.read_text(encoding="utf-8"):
            found.append(f"{file.relative_to(site)} shows the marks of a block that was taken for none")
    return found


def main(site: Path) -> None:
    """Ends the process with 1 where something is wrong."""
    if wrong := faults(site):
        raise SystemExit("\n".join(wrong))
    size = sum(file.stat().st_size for file in site.rglob("*") if file.is_file())
    sys.stdout.write(f"{site}/index.html: {len(list(site.rglob('*.html')))} pages, {size / 1e6:.1f} MB\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
