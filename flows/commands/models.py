"""Commands about language models: the prompts that they are given, and whether asking one is worth it."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.examples import examples
from flows.commands.options import HomeOption, chosen_home, put
from flows.printing import counted, out, out_text, say
from schemas.errors import KoujingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extractors.extract import SecondReader
    from flows.evaluation import Evaluated
    from flows.summary import PageRow
    from schemas.asking import Asked

prompts = typer.Typer(help="Look at the prompts that models are given.", no_args_is_help=True)
PagesOption = Annotated[
    Path, typer.Option("--pages", metavar="FOLDER", help="The labelled pages; labels.jsonl lies beside them.")
]
LabelsOption = Annotated[
    Path | None, typer.Option("--labels", metavar="FILE", help="The labels, where they lie elsewhere.")
]
_OWN_PAGES = Path("tests/cases/pages")


@prompts.command("show", epilog=examples("prompts show"))
def show(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Default: list them all.")] = None,
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="Default: the newest.")
    ] = None,
) -> None:
    """Print a prompt as it ships, or list the prompts with their versions and purposes."""
    from prompts.loader import load_prompt, prompt_text, prompt_versions

    if name is not None:
        out_text(prompt_text(name, version))
        return
    rows = []
    for known, versions in prompt_versions().items():
        newest = load_prompt(known)
        rows.append((known, ", ".join(map(str, versions)), newest.answers, newest.purpose))
    put(("name", "versions", "answers", "purpose"), rows, "table")


@prompts.command("diff", epilog=examples("prompts diff"))
def diff(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    old: Annotated[int | None, typer.Argument(metavar="[OLD]", help="Default: the one before NEW.")] = None,
    new: Annotated[int | None, typer.Argument(metavar="[NEW]", help="Default: the newest.")] = None,
) -> None:
    """Print what changed from one version of a prompt to another."""
    from prompts.loader import load_prompt, prompt_diff

    later = load_prompt(name, new).version
    earlier = max(1, later - 1) if old is None else old
    out_text(prompt_diff(name, earlier, later) or f"{name} {earlier} and {later} are the same\n")


@prompts.command("eval", epilog=examples("prompts eval"))
def eval_prompt(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="[NAME]")] = "read_mentions",
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="Default: the newest.")
    ] = None,
    model: Annotated[
        str, typer.Option("--model", metavar="PROVIDER:NAME", help="Default: $KOUJING_MODEL.")
    ] = "",
    pages: PagesOption = _OWN_PAGES,
    labels: LabelsOption = None,
    home: HomeOption = None,
) -> None:
    """Score one version of a prompt on labelled pages, beside the rules alone."""
    _evaluate(context, home, model, pages, labels, name, version)


def evaluate(
    context: typer.Context,
    model: Annotated[
        str, typer.Option("--model", metavar="PROVIDER:NAME", help="Default: $KOUJING_MODEL.")
    ] = "",
    pages: PagesOption = _OWN_PAGES,
    labels: LabelsOption = None,
    home: HomeOption = None,
) -> None:
    """Read labelled pages with and without a model, and print what it brings and what it costs.

    Without a model only the rules are scored. The limits of a run hold here too: see KOUJING_MODEL_CALLS and so on.
    """
    _evaluate(context, home, model, pages, labels, "read_mentions", None)


def _evaluate(
    context: typer.Context,
    home: Path | None,
    model: str,
    pages: Path,
    labels: Path | None,
    name: str,
    version: int | None,
) -> None:
    from flows.evaluation import evaluate as score_pages
    from flows.model.settings import settings_from
    from flows.second_reader import NO_MODEL, second_reader
    from warehouse.home import open_home

    told = labels or pages / "labels.jsonl"
    if not told.is_file():
        raise KoujingError(f"there is no {told}; name the labelled pages with --pages and --labels")
    settings = settings_from(model=model)
    results: list[tuple[str, Evaluated]] = [("rules", score_pages(pages, told, "page"))]
    if settings is None:
        say(NO_MODEL)
    else:
        with second_reader(open_home(chosen_home(context, home)), settings, (name, version)) as second:
            results.append((settings.model, _with_model(pages, told, second)))
    put(
        ("reader", "claim_f1", "capability_f1", "basis", "flags_f1", "values", "tokens", "cost", "seconds"),
        [_row(name, result) for name, result in results],
        "table",
    )
    if settings is not None:
        asked = results[1][1].asked
        put_asked(asked)
        if asked and all(
            a.undone and not (a.hits or a.input_tokens or a.rejections) for a in asked if a.sent
        ):
            raise KoujingError(
                f"{settings.model} never answered: {next((a.why for a in asked if a.why), '')}"
            )


def _with_model(pages: Path, labels: Path, second: SecondReader | None) -> Evaluated:
    from flows.evaluation import evaluate as score_pages
    from flows.scoring import read_labels

    rows = read_labels(labels)
    total, begun = len({str(row["page"]) for row in rows}), count(1)
    return score_pages(pages, rows, "page", second, lambda name: say(f"[{next(begun)}/{total}] {name}"))


def _row(name: str, result: Evaluated) -> tuple[object, ...]:
    figures = result.figures
    return (
        name,
        f"{figures['claim_f1']:.4f}",
        f"{figures['capability_f1']:.4f}",
        f"{figures['basis']:.4f}",
        f"{figures['flags_f1']:.4f}",
        f"{result.own} of {result.values} the page's own",
        result.tokens,
        result.cost,
        f"{result.seconds:.1f}",
    )


def put_asked(asked: Sequence[Asked]) -> None:
    """Prints what a model was asked in a run, and what is left."""
    for line in told_asked(asked).splitlines():
        out(line)


_MOST_LISTED = 20


def put_left_undone(pages: Sequence[PageRow]) -> None:
    """Prints of which pages passages were left for the next run, and how many of each."""
    left = [(page.source_id, len(page.asked.undone)) for page in pages if page.asked and page.asked.undone]
    for source, number in left[:_MOST_LISTED]:
        out(f"  {source}: {counted(number, 'passage')}")
    if len(left) > _MOST_LISTED:
        out(f"  and of {counted(len(left) - _MOST_LISTED, 'more page')}; see the view model_usage")


def told_asked(asked: Sequence[Asked]) -> str:
    """What a model was asked in a run, in a line, and in another what is left; that none was, where none was."""
    from flows.model.settings import settings_from
    from flows.second_reader import NO_MODEL

    if not asked:
        settings = settings_from()
        return NO_MODEL if settings is None else f"model: {settings.model}, no page had anything to ask"
    blocks, sent = sum(a.blocks for a in asked), sum(a.sent for a in asked)
    tokens = sum(a.input_tokens + a.output_tokens for a in asked)
    costs = [a.cost for a in asked if a.cost is not None]
    parts = [
        f"model: {asked[0].model}, {sent} of {counted(blocks, 'block')} sent ({sent / max(1, blocks):.1%})",
        f"{counted(sum(a.calls for a in asked), 'call')} and {sum(a.hits for a in asked)} from the cache",
        f"{counted(tokens, 'token')} ({tokens / len(asked):.0f} a page)",
        *([f"cost {sum(costs)}"] if costs else []),
        f"{counted(sum(a.filled for a in asked), 'claim')} settled",
        f"{counted(sum(len(a.rejections) for a in asked), 'answer')} refused",
    ]
    text = ", ".join(parts)
    if undone := sum(len(a.undone) for a in asked):
        why = next((a.why for a in asked if a.why), "")
        text += f"\n{counted(undone, 'passage')} left for the next run: {why}"
    return text
