from __future__ import annotations

import http.client
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from extractors.document import read_document
from flows.demo_server import DemoServer, demo_layers
from flows.sources import find_sources


@pytest.fixture
def layers(tmp_path: Path) -> tuple[Path, Path]:
    first, second = tmp_path / "day1", tmp_path / "day2"
    for folder in (first / "a", second / "a"):
        folder.mkdir(parents=True)
    (first / "a" / "kept.html").write_text("kept", encoding="utf-8")
    (first / "a" / "changed.html").write_text("before", encoding="utf-8")
    (first / "a" / "gone.html").write_text("soon gone", encoding="utf-8")
    (first / "robots.txt").write_text("User-agent: *\n", encoding="utf-8")
    (first / "types.txt").write_text("a/kept.html text/html;charset=gb2312\n", encoding="utf-8")
    (second / "a" / "changed.html").write_text("after", encoding="utf-8")
    (second / "gone.txt").write_text("a/gone.html\n", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    return first, second


@pytest.fixture
def server(layers: tuple[Path, Path]) -> Iterator[DemoServer]:
    with DemoServer(layers[:1]) as running:
        yield running


def get(
    server: DemoServer, path: str, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(urlsplit(server.base_url).netloc, timeout=10)
    try:
        connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def test_it_listens_on_this_machine_only(server: DemoServer) -> None:
    assert urlsplit(server.base_url).hostname == "127.0.0.1"


def test_pages_come_with_type_length_and_mark(server: DemoServer) -> None:
    status, headers, body = get(server, "/a/changed.html?from=menu")
    assert (status, body) == (200, b"before")
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Content-Length"] == "6"
    assert get(server, "/a/kept.html")[1]["Content-Type"] == "text/html;charset=gb2312"
    assert get(server, "/robots.txt")[1]["Content-Type"] == "text/plain; charset=utf-8"


def test_a_known_mark_is_answered_with_304(server: DemoServer) -> None:
    mark = get(server, "/a/changed.html")[1]["ETag"]
    status, headers, body = get(server, "/a/changed.html", If_None_Match=f'"other", {mark}')
    assert (status, body, headers["ETag"]) == (304, b"", mark)
    assert get(server, "/a/changed.html", If_None_Match='"other"')[0] == 200


def test_head_sends_no_body(server: DemoServer) -> None:
    status, headers, body = get(server, "/a/changed.html", "HEAD")
    assert (status, headers["Content-Length"], body) == (200, "6", b"")


def test_a_second_day_lies_over_the_first_at_the_same_address(
    server: DemoServer, layers: tuple[Path, Path]
) -> None:
    base = server.base_url
    first = {path: get(server, f"/a/{path}.html") for path in ("kept", "changed", "gone")}
    server.show(layers)
    second = {path: get(server, f"/a/{path}.html") for path in first}
    assert server.base_url == base
    assert [answer[0] for answer in first.values()] == [200, 200, 200]
    assert [answer[0] for answer in second.values()] == [200, 200, 404]
    assert second["kept"][1]["ETag"] == first["kept"][1]["ETag"]
    assert second["kept"][1]["Content-Type"] == "text/html;charset=gb2312"
    assert (first["changed"][2], second["changed"][2]) == (b"before", b"after")


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/a/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/a/%2e%2e/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/..%5csecret.txt",
        "//etc/passwd",
        "/%2fetc/passwd",
        "/a/kept.html%00.txt",
        "/a//kept.html",
        "/a/",
        "/a",
        "/",
        "/gone.txt",
        "/types.txt",
        "/a/none.html",
    ],
)
def test_nothing_else_is_served(server: DemoServer, layers: tuple[Path, Path], path: str) -> None:
    server.show(layers)
    status, _, body = get(server, path)
    assert status == 404
    assert b"secret" not in body


def test_it_is_gone_after_its_block(layers: tuple[Path, Path]) -> None:
    with DemoServer(layers) as running:
        netloc = urlsplit(running.base_url).netloc
        assert get(running, "/a/kept.html")[0] == 200
    connection = http.client.HTTPConnection(netloc, timeout=5)
    with pytest.raises(ConnectionRefusedError):
        connection.request("GET", "/a/kept.html")
    connection.close()


# --- the demo's own pages ---------------------------------------------------------------------------------


def pages(day: int) -> dict[str, tuple[bytes, str] | None]:
    site = DemoServer(demo_layers(day))
    return {source.id: site.page(urlsplit(source.url).path) for source in find_sources("demo")}


def test_every_source_of_the_demo_has_a_page_and_every_page_a_source() -> None:
    site = DemoServer(demo_layers(1))
    paths = {urlsplit(source.url).path.removeprefix("/") for source in find_sources("demo")}
    first_day = files("flows") / "demo_site" / "day1"
    there = {
        f"{folder.name}/{page.name}"
        for folder in first_day.iterdir()
        if folder.is_dir()
        for page in folder.iterdir()
    }
    assert paths == there
    assert len(paths) == 16
    assert all(site.page(f"/{path}") for path in paths)
    assert site.page("/robots.txt") is not None


def test_the_second_day_differs_in_three_pages() -> None:
    first, second = pages(1), pages(2)
    assert [name for name, page in second.items() if page is None] == ["kingsoft-xingliu"]
    assert sorted(name for name, page in second.items() if page and page != first[name]) == [
        "huawei-sfs-turbo",
        "volcengine-hpc-gpu",
    ]


def text(page: tuple[bytes, str] | None) -> str:
    assert page is not None
    return read_document(page[0], content_type=page[1]).text.replace("\u00a0", " ")


def test_the_file_storage_page_gains_its_ceilings_on_the_second_day() -> None:
    before, after = text(pages(1)["huawei-sfs-turbo"]), text(pages(2)["huawei-sfs-turbo"])
    for phrase in ("最高 2 TB/s", "最高 3000 万", "需提交工单开通"):
        assert phrase not in before
        assert phrase in after
    assert "AI 数据加载快 10 倍" in before
    assert "AI 数据加载快 10 倍" in after


def test_the_other_changed_page_differs_in_date_and_banner_only() -> None:
    first, second = pages(1)["volcengine-hpc-gpu"], pages(2)["volcengine-hpc-gpu"]
    assert first is not None
    assert second is not None
    before, after = first[0].decode().splitlines(), second[0].decode().splitlines()
    differing = set(before) ^ set(after)
    assert len(differing) == 3
    assert all("更新时间" in line or "topbar" in line for line in differing)


def test_one_page_is_in_gbk_and_says_so_itself() -> None:
    page = pages(1)["baidu-pfs"]
    assert page is not None
    assert page[1] == "text/html"
    assert b"charset=gb2312" in page[0]
    with pytest.raises(UnicodeDecodeError):
        page[0].decode("utf-8")
    assert read_document(page[0], content_type=page[1]).encoding == "gb18030"
    assert "极速型 L3" in text(page)


def test_old_values_are_on_the_pages_and_not_shown() -> None:
    for name, old in [
        ("alibaba-cpfs-lingjun", "500 GB/s"),
        ("volcengine-hpc-gpu", "5000 卡"),
        ("azure-nd-h100-v5", "1.6 Tbps"),
    ]:
        page = pages(1)[name]
        assert page is not None
        document = read_document(page[0], content_type=page[1])
        assert old not in document.text
        assert any(old in hidden.text for hidden in document.hidden)


def test_there_are_two_days() -> None:
    with pytest.raises(ValueError, match="no day 3; it has days 1 to 2"):
        demo_layers(3)
