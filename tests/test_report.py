"""The report and the trace: what they say, that they are the same every time, that nothing hostile in them runs."""

from __future__ import annotations

import json
import os
import random
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Optional

import pytest

from host_samples import ADD, MAIN, SIGNATURE, contents, run_cli, write
from pyasc_transpile.report.layers import Box, Edge, arrange
from pyasc_transpile.report.timeline import draw_detail, draw_overview
from support.browser import browsing, find_browser

NESTED = """
import numpy as np

from pyasc_transpile import asctile


def scaled(tile, factor):
    return tile * factor


@asctile.jit
def nested(x_ptr: asctile.GlobalAddress, out_ptr: asctile.GlobalAddress, rows: int, note: asctile.ConstExpr,
           width: asctile.ConstExpr[int]):
    x_gm = asctile.global_tensor(x_ptr, [rows, width])
    out_gm = asctile.global_tensor(out_ptr, [rows, width])
    for i in asctile.range(asctile.block_idx(), rows, asctile.block_num(), unroll_factor=2):
        total = asctile.full([1, width], 0.0, asctile.float32)  # NOTE
        for j in asctile.range(4):
            x = asctile.copy_in(x_gm, [i, 0], [1, width])
            total = total + scaled(x, 2.0)
        if rows > 3:
            asctile.copy_out(total, out_gm, [i, 0])
        else:
            asctile.copy_out(-total, out_gm, [i, 0])


if __name__ == "__main__":
    x = np.ones((8, 64), np.float32)
    out = np.zeros_like(x)
    nested[2](x, out, 8, "VALUE", 64)
    assert (out == 8).all()
"""


class Elements(HTMLParser):
    """Tags, attributes and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, Optional[str]]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Optional[str]]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def count(self, tag: str) -> int:
        return sum(1 for name, _ in self.tags if name == tag)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reports and traces of one script that launches two kernels, for both memory styles."""
    folder = tmp_path_factory.mktemp("report")
    write(folder / "add.py", ADD + MAIN)
    write(folder / "nested.py", NESTED)
    for name in ("add", "nested"):
        for chip, out, reuse in (("Ascend950PR_9599", "static", "2"), ("Ascend910B1", "pipe", "0")):
            arguments = [f"{name}.py", "-o", out, "--report", "--trace", "--no-build", "--platform", chip]
            done = run_cli([*arguments, "--reuse-alloc", reuse], folder)
            assert done.returncode == 0, done.stderr
    return folder


def page(written: Path, name: str, style: str = "static") -> str:
    return (written / style / f"{name}.html").read_text(encoding="utf-8")


# --- content ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["static", "pipe"])
def test_the_page_has_everything(written: Path, style: str) -> None:
    text = page(written, "add", style)
    for section in ("totals", "source", "time", "memory", "graph", "instructions"):
        assert f'<section id="{section}">' in text
    elements = Elements(text)
    assert "There is no timeline" not in text
    said = " ".join(elements.texts)
    assert re.search(r"(MTE2|MTE3|V) \(.*\) is busy for \d+ % of the [\d\u202f]+ cycles of the slowest block", said)
    assert "x_ptr: *f32, y_ptr: *f32, out_ptr: *f32, size: i32, tile=256" in said
    assert "bytes available" in said and "bytes used" in said
    assert "fixed addresses" in said if style == "static" else "TPipe chooses the place" in said
    assert {"copy_out", "x = copy_in", "y = copy_in", "add"} <= set(elements.texts)
    assert elements.count("svg") >= 4


def test_both_sides_are_linked(written: Path) -> None:
    text = page(written, "add")
    lines = ADD.splitlines()
    python, ascend_c = re.findall(r'<pre class="code" id="[a-z-]+">(.*?)</pre>', text, re.S)
    for piece, call in (("x = asctile.copy_in", "x_gm"), ("asctile.copy_out", "Add(")):
        number = next(at for at, line in enumerate(lines, 1) if piece in line)
        assert f'data-line="{number}"' in python
        rows = [row for row in ascend_c.split('<span class="row') if f'data-line="{number}"' in row]
        assert any(call in re.sub("<[^>]*>", "", row) for row in rows)
    loop = next(at for at, line in enumerate(lines, 1) if "asctile.range" in line)
    assert f'data-line="{loop}"' in ascend_c


def test_helpers_and_nested_frames_are_shown(written: Path) -> None:
    text = page(written, "nested")
    elements = Elements(text)
    joined = "".join(elements.texts)
    assert "return tile * factor" in joined  # stands outside of the kernel
    frames = [attributes for tag, attributes in elements.tags if tag == "rect" and attributes["class"] == "frame"]
    assert len(frames) == 4  # two loops, then, else
    assert "total goes on" in " ".join(elements.texts)
    assert any(re.match(r"x\[1\]|total\[1\]", piece) for piece in elements.texts)  # slots of the unrolled loop


def test_the_trace_is_what_perfetto_reads(written: Path) -> None:
    document = json.loads((written / "static" / "add.trace.json").read_text())
    events = document["traceEvents"]
    names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert {"V", "MTE2", "MTE3"} <= names
    complete = [event for event in events if event["ph"] == "X"]
    assert complete and all(event["dur"] >= 0 and event["ts"] >= 0 for event in complete)
    assert {"DataCopyPad", "Add"} <= {event["name"] for event in complete}


# --- without a timeline -----------------------------------------------------------------------------------------------


def test_a_signature_alone_says_why_there_is_no_timeline(tmp_path: Path) -> None:
    write(tmp_path / "add.py", ADD)
    arguments = ["add.py", "-o", "out", "--no-build", "--signature", SIGNATURE, "--report"]
    done = run_cli(arguments, tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out" / "add.html").read_text(encoding="utf-8")
    assert "There is no timeline: a signature gives types, not sizes" in text
    assert 'id="bound"' not in text
    failed = run_cli([*arguments, "--trace"], tmp_path)
    assert failed.returncode == 1 and "there is no timeline of add to write" in failed.stderr
    assert not (tmp_path / "out" / "add.trace.json").exists()


def test_without_a_compiler_the_page_says_so(tmp_path: Path) -> None:
    write(tmp_path / "add.py", ADD + MAIN.replace("    assert np", "    # assert np"))
    done = run_cli(["add.py", "-o", "out", "--no-build", "--report"], tmp_path, CXX="/does/not/exist", PATH="/nowhere")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out" / "add.html").read_text(encoding="utf-8")
    assert "There is no timeline: the model needs a C++17 compiler" in text


def test_a_report_needs_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "add.py", ADD)
    done = run_cli(["add.py", "--emit", "source", "--signature", SIGNATURE, "--report"], tmp_path)
    assert done.returncode == 2 and "-o FOLDER" in done.stderr


# --- bytes ------------------------------------------------------------------------------------------------------------


def test_the_same_input_gives_the_same_bytes(written: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    write(elsewhere / "nested.py", NESTED)
    arguments = ["nested.py", "-o", "static", "--report", "--trace", "--no-build", "--platform", "Ascend950PR_9599"]
    done = run_cli([*arguments, "--reuse-alloc", "2"], elsewhere, PYTHONHASHSEED="7")
    assert done.returncode == 0, done.stderr
    ours, theirs = contents(elsewhere / "static"), contents(written / "static")
    assert {name: ours[name] for name in ours} == {name: theirs[name] for name in ours}
    assert str(elsewhere) not in ours["nested.html"].decode()


@pytest.mark.parametrize("name", ["add", "nested"])
def test_the_page_is_self_contained(written: Path, name: str) -> None:
    text = page(written, name)
    elements = Elements(text)
    assert {tag for tag, _ in elements.tags} & {"link", "img", "iframe", "object", "embed", "base", "form"} == set()
    for _, attributes in elements.tags:
        assert not set(attributes) & {"src", "href", "xlink:href", "style", "action"}
    assert set(re.findall(r"https?://[^\s\"'<]*", text)) == {"http://www.w3.org/2000/svg"}
    assert "@import" not in text and not re.search(r"url\((?!#)", text)


HOSTILE = '</script></pre><script>document.title="owned"</script><img src=x onerror="document.title=1">&amp;\'"'


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a kernel whose comments, constants and file name are markup."""
    folder = tmp_path_factory.mktemp("hostile")
    file = "a<img src=x onerror=alert(1)>&quot;.py"
    text = NESTED.replace("# NOTE", f"# {HOSTILE}").replace('"VALUE"', repr(HOSTILE))
    text = text.replace("range(4):", f"range(4):  # {HOSTILE}")
    write(folder / file, text)
    done = run_cli([file, "-o", "out", "--report", "--no-build"], folder)
    assert done.returncode == 0, done.stderr
    return folder / "out" / "nested.html"


def test_hostile_texts_stay_texts(hostile: Path) -> None:
    text = hostile.read_text(encoding="utf-8")
    elements = Elements(text)
    assert elements.count("script") == 1 and elements.count("img") == 0
    assert not [name for _, attributes in elements.tags for name in attributes if name.startswith("on")]
    assert HOSTILE in "".join(elements.texts)  # in the listing, as it was written


# --- drawing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_boxes_do_not_overlap_and_edges_point_down(seed: int) -> None:
    source = random.Random(seed)
    boxes = [Box(source.uniform(20, 200), source.uniform(20, 60)) for _ in range(source.randrange(1, 40))]
    edges = [
        Edge(boxes[source.randrange(at)], box) for at, box in enumerate(boxes) if at for _ in range(source.randrange(3))
    ]
    width, height = arrange(boxes, edges)
    for at, box in enumerate(boxes):
        assert -0.01 <= box.x <= width - box.width + 0.01 and 0 <= box.y <= height - box.height + 0.01
        for other in boxes[:at]:
            apart_x = box.x + box.width <= other.x + 0.01 or other.x + other.width <= box.x + 0.01
            apart_y = box.y + box.height <= other.y + 0.01 or other.y + other.height <= box.y + 0.01
            assert apart_x or apart_y
    for edge in edges:
        heights = [y for _, y in edge.points()]
        assert heights == sorted(heights)


class _Event:
    def __init__(self, pipe: str, start: float, end: float) -> None:
        self.pipe, self.name, self.line, self.start, self.end = pipe, "Add", 3, start, end


def test_a_long_timeline_is_cut_to_what_can_be_read() -> None:
    events = [_Event("V", 10.0 * at, 10.0 * at + 9) for at in range(20000)]
    drawing, shown = draw_detail(events, ["V"], 1000.0)
    assert 20 < shown < 1000 and len(drawing) < 300_000
    assert draw_overview(events[:1], ["V"], 9.0, 1000.0).count("<rect") == 1
    assert draw_detail([_Event("V", 5.0, 5.0)], ["V"], 1000.0)[1] == 1


# --- in a browser -----------------------------------------------------------------------------------------------------

BROWSER = find_browser()
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium or chrome on this machine")


@needs_browser
def test_a_click_lights_up_the_counterpart(written: Path, tmp_path: Path) -> None:
    assert BROWSER is not None
    file = written / "static" / "nested.html"
    number = 1 + next(at for at, line in enumerate(NESTED.splitlines()) if "x = asctile.copy_in" in line)
    other = 1 + next(at for at, line in enumerate(NESTED.splitlines()) if "if rows > 3" in line)
    with browsing(BROWSER) as tab:
        tab.open(file)
        lit = "[...document.querySelectorAll('#{} .row.{}')].map(row => row.textContent).join('|')"
        assert tab.evaluate(lit.format("ascend-c", "chosen")) == ""
        tab.mouse(f'#python [data-line="{number}"]', click=False)
        assert "DataCopyPad(x, x_gm" in tab.evaluate(lit.format("ascend-c", "near"))
        tab.mouse(f'#python [data-line="{number}"]', click=True)
        counterpart = tab.evaluate(lit.format("ascend-c", "chosen"))
        assert "DataCopyPad(x, x_gm" in counterpart and "Add(" not in counterpart
        assert tab.evaluate("document.querySelectorAll('svg rect.chosen').length") >= 3  # memory, graph and time
        visible = (
            "(() => { const box = document.getElementById('ascend-c').getBoundingClientRect();"
            " const row = document.querySelector('#ascend-c .row.chosen').getBoundingClientRect();"
            " return row.top >= box.top && row.bottom <= box.bottom; })()"
        )
        assert tab.evaluate(visible)
        tab.screenshot(tmp_path / "clicked.png")
        tab.mouse(f'#ascend-c [data-line="{other}"]', click=True)
        assert "if rows > 3" in tab.evaluate(lit.format("python", "chosen"))
        tab.mouse(f'#ascend-c [data-line="{other}"]', click=True)
        assert tab.evaluate(lit.format("python", "chosen")) == ""
        assert tab.evaluate("document.documentElement.scrollWidth") <= 1200
        for name, dark in (("report.png", False), ("report-dark.png", True)):
            tab.open(file, dark=dark)
            tab.screenshot(tmp_path / name, whole=True)
            assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
        assert tab.requests() == [file.resolve().as_uri()]
        assert tab.complaints() == []
    keep = os.environ.get("PYASC_TRANSPILE_SCREENSHOTS")
    for picture in sorted(tmp_path.glob("*.png")) if keep else ():
        (Path(keep or "") / picture.name).write_bytes(picture.read_bytes())


@needs_browser
def test_nothing_hostile_runs(hostile: Path) -> None:
    assert BROWSER is not None
    with browsing(BROWSER) as tab:
        tab.open(hostile)
        assert tab.evaluate("document.title") == "nested: report of pyasc-transpile"
        assert tab.evaluate("document.images.length") == 0
        assert tab.requests() == [hostile.resolve().as_uri()]
        assert tab.complaints() == []
