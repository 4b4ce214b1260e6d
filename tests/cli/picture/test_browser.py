"""A real browser lays the page out: nothing wider than the window, no text outside its box, a picture to look at."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from builders import drawn

from topreempt import Instance, Plan, solve_preemption
from topreempt.cli.picture import choose, picture_of
from topreempt.cli.picture.page import page_of

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
WIDTHS = (320, 390, 768, 1280)
SECONDS = 120
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on the path")

# The page itself holds no script, and forbids any: a page around it measures it in frames of several widths.
MEASURE = """
function faults(frame) {
  const page = frame.contentDocument, wide = frame.clientWidth, found = [];
  const say = (what, element) => found.push(what + ": " + element.textContent.slice(0, 60));
  if (page.documentElement.scrollWidth > wide) found.push("the page is " + page.documentElement.scrollWidth + " wide");
  for (const element of page.querySelectorAll("body *")) {
    const box = element.getBoundingClientRect();
    if (!element.closest("svg, thead") && box.width && (box.right > wide + 1 || box.left < -1)) say("outside", element);
    if (element.scrollWidth > element.clientWidth + 1 && ["DIV", "TD", "DD", "P", "H1", "H3"].includes(element.tagName))
      say("cut", element);
  }
  for (const text of page.querySelectorAll("figure text")) {
    const inner = text.getBoundingClientRect();
    const outer = text.parentElement.querySelector("rect").getBoundingClientRect();
    if (inner.left < outer.left - 1 || inner.right > outer.right + 1) say("text wider than its box", text);
    if (inner.top < outer.top - 2 || inner.bottom > outer.bottom + 2) say("text taller than its box", text);
  }
  if (!page.querySelector("h1").textContent) found.push("no heading");
  return found;
}
"""


def chromium(tmp_path: Path, *arguments: str) -> str:
    assert BROWSER is not None
    command = [
        *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
        *("--no-first-run", "--disable-dev-shm-usage", f"--user-data-dir={tmp_path / 'profile'}", *arguments),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS).stdout


def page(instance: Instance, plan: Plan | None) -> str:
    picture = picture_of(instance, plan)
    return page_of(picture, plan, choose(picture, None, 16, 96))


def measured(tmp_path: Path, text: str) -> dict[str, list[str]]:
    frames = "".join(
        f'<iframe style="width:{width}px;height:900px;border:0" srcdoc="{html.escape(text)}"></iframe>'
        for width in WIDTHS
    )
    script = (
        f"{MEASURE} onload = () => {{ const result = {{}}; document.querySelectorAll('iframe').forEach(frame => "
        "{ result[frame.clientWidth] = faults(frame); }); document.querySelector('pre').textContent = "
        "JSON.stringify(result); };"
    )
    outer = tmp_path / "outer.html"
    outer.write_text(f"<!doctype html><meta charset=utf-8><pre></pre>{frames}<script>{script}</script>", "utf-8")
    dumped = chromium(tmp_path, "--dump-dom", outer.as_uri())
    found = re.search(r"<pre>(.*?)</pre>", dumped, re.DOTALL)
    assert found is not None, dumped[:1000]
    result: dict[str, list[str]] = json.loads(html.unescape(found[1]))
    return result


CLEAN: dict[str, list[str]] = {str(width): [] for width in WIDTHS}


def test_zoo_fits_every_window(zoo: Instance, zoo_plan: Plan, tmp_path: Path) -> None:
    assert measured(tmp_path, page(zoo, zoo_plan)) == CLEAN


def test_long_names_fit_every_window(tmp_path: Path) -> None:
    long = "n" * 300
    instance = drawn({long: "a."}, {"a": {"priority": 1, "name": "j" * 300}}, {"gpus": 2, "name": "r" * 300})
    assert measured(tmp_path, page(instance, solve_preemption(instance))) == CLEAN


def test_the_measure_finds_faults(tmp_path: Path) -> None:
    instance = drawn({"n1": "a."}, {"a": 1}, 2)
    text = page(instance, solve_preemption(instance)).replace("<main>", '<main><div style="width:2000px">wide</div>')
    found = measured(tmp_path, text.replace('font-size="13"', 'font-size="13" dx="-900"'))
    assert all(found[str(width)] for width in WIDTHS)
    assert any("outside: wide" in fault for fault in found["390"])
    assert any("text wider than its box" in fault for fault in found["390"])


@pytest.mark.parametrize(("width", "height"), [(500, 1600), (1280, 900)])
def test_screenshot(zoo: Instance, zoo_plan: Plan, tmp_path: Path, width: int, height: int) -> None:
    file, shot = tmp_path / "page.html", tmp_path / "page.png"
    file.write_text(page(zoo, zoo_plan), "utf-8")
    chromium(tmp_path, f"--window-size={width},{height}", f"--screenshot={shot}", file.as_uri())
    data = shot.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (width, height)
    # An empty page of this size packs to a few kilobytes.
    assert len(data) > 40_000
