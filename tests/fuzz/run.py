"""`make fuzz`: coverage-guided inputs for extraction, until the time is up or something breaks.

Inputs are bytes as they come, or words of this domain, markup and control characters put together by the
fuzzer's choice. An input that breaks something is written to `.fuzz/`; it belongs into tests/cases/fuzz then.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["extractors"]):
    from tests.fuzz.invariants import check_page, check_quantities

ROOT = Path(__file__).parents[2]
FOUND = ROOT / ".fuzz"
NAMES = ("page.html", "page.md", "page.txt", "")
LANGUAGES = ("", "en", "zh", "de", "ja")
WORDS = (
    "<table> </table> <tr> <td> <td rowspan=0> <td colspan=9999> <th> <sup>1</sup> <sub> <div> </div> <div hidden> <p> <b> </b> <s> "
    "<pre> <li> <ul> <dl> <dt> <dd> <h1> <h2> <details> <summary> <svg> <title> <math> <msup> <nav> <template> <script> <style> <!-- "
    "--> ]]> &#51; &nbsp; &bogus; | --- ``` # * > 3.2T 每节点 RDMA 最高 带宽 吞吐 3000 万 亿 IOPS 到 ~ × 8 400Gbps min{ } 0.1 , . ¥ $ "
    "十几 千万级 分之 点 几 半 % 10^ 1'000 ± ² 9 e9 级 以上 每 TiB GB/s 不支持 支持 未披露 Gang SLA 99.9% [1] (1) * 注1： ： , 。 \n \t "
    "\x00 \x0b \x1b[31m \u200b \u00a0 \u3000 \ufffd \ufeff \u202e ９ ＴＢ／ｓ İ ß ſ ２ 网络延迟 2 微秒 AWS 阿里云 half a twenty- hours"
).split(" ")


def one_input(data: bytes) -> None:
    """Read the input in the way that its first byte says."""
    provider = atheris.FuzzedDataProvider(data)
    way = provider.ConsumeIntInRange(0, 3)
    name = NAMES[provider.ConsumeIntInRange(0, len(NAMES) - 1)]
    if way == 0:
        check_page(provider.ConsumeBytes(provider.remaining_bytes()), name)
        return
    pieces = []
    while provider.remaining_bytes() and len(pieces) < 400:
        number = provider.ConsumeIntInRange(0, len(WORDS))
        pieces.append(WORDS[number] if number < len(WORDS) else provider.ConsumeUnicode(4))
    text = ("" if way == 1 else " ").join(pieces)
    if way == 3:
        check_quantities(text, LANGUAGES[len(text) % len(LANGUAGES)])
    else:
        check_page(text.encode("utf-8", "surrogatepass"), name)


def main() -> None:
    """Fuzz for as many seconds as `FUZZ_SECONDS` says (60 without)."""
    corpus = FOUND / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for page in sorted((ROOT / "tests" / "cases").glob("pages*/*.*ml")):
        (corpus / f"{page.parent.name}-{page.name}").write_bytes(b"\x00\x00" + page.read_bytes()[:3000])
    options = [
        f"-max_total_time={os.environ.get('FUZZ_SECONDS', '60')}",
        "-max_len=4096",
        "-timeout=20",
        "-rss_limit_mb=1500",
        f"-artifact_prefix={FOUND}/",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options, *sys.argv[1:], str(corpus)], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
