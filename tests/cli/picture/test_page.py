"""The page: whole in one file, nothing but text from names, the same every time, written whole or not at all."""

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from builders import drawn

from topreempt import Instance, Plan, solve_preemption
from topreempt.cli.picture import choose, picture_of
from topreempt.cli.picture.page import page_of
from topreempt.cli.picture.sheet import sheet_of
from topreempt.models.plan import Alternative, Reason
from topreempt.models.reasons import ReasonCode

ZOO = Path(__file__).parent / "zoo.yaml"
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "h1", "h2", "h3", "p", "span", "div"),
    *("dl", "dt", "dd", "ul", "li", "figure", "table", "thead", "tbody", "tr", "th", "td"),
    *("svg", "defs", "pattern", "g", "rect", "path", "circle", "text"),
}


class Reader(HTMLParser):
    """Collects tags, attributes and the text outside of styles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}
        if tag not in ("meta", "rect", "path", "circle") or tag == "path":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.texts.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def page(instance: Instance, plan: Plan | None, small: int = 16) -> str:
    picture = picture_of(instance, plan)
    return page_of(picture, plan, choose(picture, None, small, 96))


def test_hostile_names_stay_text(zoo: Instance, zoo_plan: Plan) -> None:
    hostile = "<script>alert(9)</script>\"'><img src=x onerror=alert(9)>\u202e\x00"
    plan = zoo_plan.model_copy(
        update={
            "policy": hostile,
            "reasons": (Reason(code=ReasonCode.TOO_SMALL, scope=hostile, text=hostile, rung=hostile),),
            "alternatives": (Alternative(island=hostile, weighted_work=4000.0, evicted_pods=1, victims=(hostile,)),),
            "victims": tuple(v.model_copy(update={"why": hostile}) for v in zoo_plan.victims),
            "waits_for": (hostile,),
            "displaces": (hostile,),
        }
    )
    reader = read(page(zoo, plan))
    assert reader.tags <= TAGS
    assert not [name for name, _ in reader.attributes if name.startswith("on") or name in ("src", "href", "action")]
    text = "".join(reader.texts)
    for name in ("<script>alert(1)</script>", "</text></svg><script>alert(2)</script>", "]]><b>", "chat<70>b"):
        assert name in text
    assert r"\u202e\u0000" in text
    assert "\u202e" not in text and "\x00" not in text


def test_page_needs_nothing_from_outside(zoo: Instance, zoo_plan: Plan) -> None:
    text = page(zoo, zoo_plan)
    assert "default-src 'none'" in text
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", text)
    names = set(re.findall(r"url\(#(\w+)\)", text))
    assert names == {"struck", "lined", "dotted", "crossed"} == set(re.findall(r'<pattern id="(\w+)"', text))


def test_page_says_what_the_plan_says(zoo: Instance, zoo_plan: Plan) -> None:
    text = " ".join(read(page(zoo, zoo_plan)).texts)
    for word in ("optimal: no plan costs less (proved)", "11 pods of 4 jobs", "3,761", "before", "after", "Hover"):
        assert word in text
    for victim in zoo_plan.victims:
        assert victim.job in text
        assert victim.why in text


def test_page_is_the_same_every_time(zoo: Instance, zoo_plan: Plan) -> None:
    assert page(zoo, zoo_plan) == page(Instance.load(ZOO), zoo_plan)


def test_page_without_a_plan(zoo: Instance) -> None:
    text = " ".join(read(page(zoo, None)).texts)
    assert "now" in text
    assert "evicted" not in text
    assert "after" not in text


def test_page_of_an_infeasible_request_says_why() -> None:
    instance = drawn({"n1": "a"}, {"a": 200}, 1)
    plan = solve_preemption(instance)
    assert plan.status == "infeasible"
    plan = plan.model_copy(
        update={"reasons": (Reason(code=ReasonCode.PRIORITY, scope="cluster", text="all GPUs are held"),)}
    )
    text = " ".join(read(page(instance, plan)).texts)
    assert "infeasible: no permitted eviction helps (proved)" in text
    assert "What stands in the way" in text
    assert "all GPUs are held" in text


def test_page_of_a_large_cluster_draws_the_touched_nodes_only() -> None:
    nodes = {f"n{i:04}": "aa" for i in range(200)} | {"n0123": "b."}
    within = {name: {"rack": f"r{int(name[1:]) // 8}"} for name in nodes}
    instance = drawn(nodes, {"a": 50, "b": 1}, 2, levels=["rack", "node"], within=within)
    text = page(instance, solve_preemption(instance))
    assert re.findall(r'aria-label="node (\w+)"', text) == ["n0123"]
    assert "The nodes that the plan touches" in text
    assert text.count('class="group touched"') == 2
    assert text.count('class="group"') == 24
    assert len(text) < 60_000


def test_sheet_is_well_formed_and_holds_its_styles(zoo: Instance, zoo_plan: Plan) -> None:
    root = ElementTree.fromstring(sheet_of(picture_of(zoo, zoo_plan).cards, planned=True))
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    assert root.find(f"{space}style") is not None
    assert len(root.findall(f"{space}g")) == 8
    wide, tall = (float(number) for number in root.attrib["viewBox"].split()[2:])
    assert wide == 3 * 360 + 4 * 14
    for group in root.findall(f"{space}g"):
        x, y = (float(number) for number in group.attrib["transform"][10:-1].split())
        frame = group.find(f"{space}g/{space}rect")
        assert frame is not None
        assert x + float(frame.attrib["width"]) + 1 <= wide
        assert y + float(frame.attrib["height"]) + 1 <= tall


def test_show_writes_the_page(topreempt, tmp_path: Path) -> None:
    plan, out, drawing = tmp_path / "plan.json", tmp_path / "out.html", tmp_path / "out.svg"
    topreempt("solve", ZOO, "--out", plan)
    outcome = topreempt("show", ZOO, "--plan", plan, "--html", out, "--svg", drawing)
    assert (outcome.status, outcome.out) == (0, "")
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert ElementTree.parse(drawing).getroot().attrib["role"] == "img"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.html", "out.svg", "plan.json"]
    few = tmp_path / "few.html"
    assert topreempt("show", ZOO, "--within", "rack=r1", "--html", few).status == 0
    assert re.findall(r'aria-label="node ([^"]+)"', few.read_text(encoding="utf-8")) == ["mesh-1", "mesh-2"]


@pytest.mark.parametrize(("option", "name"), [("--html", "out.txt"), ("--html", "no/out.html"), ("--svg", "out.html")])
def test_show_refuses_to_write_elsewhere(topreempt, tmp_path: Path, option: str, name: str) -> None:
    outcome = topreempt("show", ZOO, option, tmp_path / name)
    assert outcome.status == 2
    assert name in outcome.err
    assert list(tmp_path.iterdir()) == []


def test_show_refuses_an_empty_sheet(topreempt, tmp_path: Path) -> None:
    outcome = topreempt("show", ZOO, "--cards", 0, "--svg", tmp_path / "out.svg")
    assert outcome.status == 2
    assert "--node" in outcome.err


def test_the_drawing_of_the_documents_is_the_command_s(topreempt, tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    example, plan, drawing = root / "examples/chat-70b.yaml", tmp_path / "plan.json", tmp_path / "show.svg"
    topreempt("solve", example, "--out", plan)
    topreempt("show", example, "--plan", plan, "--svg", drawing)
    assert drawing.read_text(encoding="utf-8") == (root / "docs/show.svg").read_text(encoding="utf-8")
