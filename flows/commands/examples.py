"""What each command's help shows as examples. Their tests see to it that they are accepted."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "sql": (
        "koujing sql \"FROM claims WHERE metric = 'fs_throughput' ORDER BY low DESC\"",
        'koujing sql "SELECT vendor, count(*) FROM claims GROUP BY ALL" --format csv',
        'koujing sql "FROM claim_history" --out history.jsonl',
        'koujing sql "DESCRIBE claims"',
        "koujing sql \"FROM claims_as_of('2026-11-04') WHERE vendor = 'alibaba-cloud'\"",
        "koujing sql",
    ),
    "flags": (
        "koujing flags",
        "koujing flags --vendor huawei-cloud",
        "koujing flags --format csv",
        "koujing flags --format jsonl | head -3",
    ),
    "resolve": (
        'koujing resolve FLAG --reading per_node --who "Li Wei" --note "the spec sheet says so"',
        'koujing resolve FLAG --correct value="3.2 Tbps" --source "mail of 2 May" --who "Li Wei"',
        "koujing resolve FLAG --ask-vendor",
    ),
    "changes": (
        "koujing changes",
        "koujing changes --since 7d",
        "koujing changes --since 2026-05-01 --format jsonl",
        "koujing changes --ranking",
    ),
    "explain": (
        "koujing explain huawei-cloud storage_io",
        "koujing explain --vendor huawei-cloud --metric fs_throughput",
        "koujing explain --metric rdma_bandwidth --format json",
    ),
    "questions": (
        "koujing questions",
        "koujing questions --vendor huawei-cloud --lang zh",
        "koujing questions --format docx --out questions.docx",
    ),
    "report": (
        "koujing report",
        "koujing report --out public --lang zh",
        "koujing report --out november --from 2026-11-01 --to 2026-11-30",
    ),
    "verify": (
        "koujing verify",
        "koujing verify --cases pairs.jsonl",
        "koujing verify --cases - < statements.jsonl",
    ),
    "held": ("koujing held", "koujing held --format json"),
    "release": (
        'koujing release kingsoft-xingliu --who "Li Wei"',
        'koujing release huawei-sfs-turbo --keep --who "Li Wei" --note "a login wall, asked the vendor"',
    ),
    "reextract": ("koujing reextract", "koujing reextract --source huawei-sfs-turbo --all"),
    "export": ("koujing export out", "koujing export out --format csv --view claims --view changes"),
    "backup": ("koujing backup koujing.tar", "koujing backup backups/monday.tar --wait 600"),
    "restore": ("koujing --home new-home restore koujing.tar",),
    "where": (
        "koujing where",
        "KOUJING_HOME=/data/koujing koujing where",
    ),
    "proposals": ("koujing proposals", "koujing proposals --format json"),
    "confirm": (
        "koujing confirm huawei-cloud storage_io --scorecard ten-thousand-cards --who li",
        "koujing confirm huawei-cloud ready_to_use --scorecard ten-thousand-cards --who li --keep --note tickets",
    ),
    "rank": (
        "koujing rank",
        "koujing rank --scorecard ten-thousand-cards --weight storage_io=0.25",
        "koujing rank --scorecard ten-thousand-cards --explain",
        "koujing rank --scorecard ten-thousand-cards --sensitivity",
        "koujing rank --as-of 2026-05-01",
        "koujing rank --scorecard my-card.yaml --format json",
    ),
    "extract": (
        "koujing extract page.html",
        "koujing extract page.md --vendor huawei-cloud --format jsonl",
        "curl -s https://vendor.example/page | koujing extract -",
    ),
    "quantities": (
        'koujing quantities "最高 3.2 Tbps，时延低至 5 μs"',
        'koujing quantities --format jsonl "4x400Gbps per node"',
        "koujing quantities --lines --format jsonl - < lines.txt",
    ),
    "refresh": (
        "koujing refresh",
        "koujing refresh --sources my-sources.yaml --contact https://example.org/crawl",
        'koujing refresh --sources demo --label "try it"',
    ),
    "demo": (
        "koujing demo",
        "koujing demo --fresh",
        "koujing --home /tmp/koujing-demo demo --keep",
    ),
    "prompts show": ("koujing prompts show", "koujing prompts show read_mentions --version 1"),
    "prompts diff": ("koujing prompts diff read_mentions", "koujing prompts diff read_mentions 1 2"),
    "prompts eval": ("koujing prompts eval read_mentions --version 2 --model ollama:qwen3:8b",),
    "eval": ("koujing eval", "koujing eval --model openai:gpt-5.5 --pages tests/cases/pages"),
    "snapshots list": ("koujing snapshots list", "koujing snapshots list huawei-sfs-turbo --format json"),
    "snapshots show": (
        "koujing snapshots show huawei-sfs-turbo",
        "koujing snapshots show 3660315a9af3 --text",
        "koujing snapshots show huawei-sfs-turbo --body page.html",
    ),
    "snapshots diff": (
        "koujing snapshots diff huawei-sfs-turbo",
        "koujing snapshots diff 3660315a9af3 0be2c7d1f004",
    ),
    "snapshots export": (
        "koujing snapshots export --warc evidence.warc.gz",
        "koujing snapshots export --warc huawei.warc huawei-sfs-turbo",
    ),
    "snapshots check": ("koujing snapshots check",),
    "nightly serve": (
        "koujing nightly serve --contact ops@team.example",
        "koujing nightly serve --cron '30 2 * * *' --timezone Europe/Berlin --sources my-sources.yaml",
    ),
    "nightly when": (
        "koujing nightly when",
        "koujing nightly when --cron '30 2 * * *' --timezone Europe/Berlin --after 2026-10-24 --count 3",
    ),
    "status": (
        "koujing status",
        "koujing status --json",
        "koujing status --serve 9470",
    ),
    "doctor": ("koujing doctor",),
    "digest": (
        "koujing digest",
        "koujing digest --run 3 --language zh",
        "koujing digest --send",
    ),
    "sources list": (
        "koujing sources list",
        "koujing sources list vendors",
        "koujing sources list my-sources.yaml",
    ),
    "sources add": (
        "koujing sources add https://docs.vendor.example/gpu --vendor alibaba-cloud",
        "koujing sources add https://blog.vendor.example/post --to my-sources.yaml --tier T3 --no-visit",
        "koujing sources add https://docs.vendor.example/gpu/index.html --depth 2 --pages 40 --every 1d",
    ),
    "sources remove": (
        "koujing sources remove docs-vendor-example-gpu",
        "koujing sources remove docs-vendor-example-gpu --from my-sources.yaml",
    ),
    "sources check": (
        "koujing sources check",
        "koujing sources check my-sources.yaml",
    ),
    "scorecards list": (
        "koujing scorecards list",
        "koujing scorecards list --format json",
    ),
    "scorecards check": ("koujing scorecards check my-card.yaml",),
}


def examples(command: str) -> str:
    """The end of a command's help. The mark at its start keeps the lines from being filled."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in EXAMPLES[command])])
