"""XML as a small tree with line numbers; documents that define entities are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from ..plain_text import refusal

MAX_DEPTH = 60


@dataclass
class Element:
    """One element.

    Attributes
    ----------
    tag : str
        Its name.
    attributes : dict of str to str
        As written.
    line : int
        Where it begins.
    children : list of Element
        In the order of the file.
    text : str
        Its own text.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def get(self, name: str) -> str:
        """Return an attribute, or an empty text where it is absent."""
        return self.attributes.get(name, "")

    def named(self, tag: str) -> Iterator[Element]:
        """Yield the children of one name."""
        return (child for child in self.children if child.tag == tag)


def parse_xml(text: str, *, source: str) -> Element:
    """Return the root of an XML document.

    Parameters
    ----------
    text : str
        The document.
    source : str
        The file's name, for messages.

    Returns
    -------
    Element
        The root.

    Raises
    ------
    InstanceError
        Not well-formed, nested too deep, or with definitions of its own (they can blow a small file up).
    """
    stack: list[Element] = [Element("", {}, 0)]
    parser = expat.ParserCreate()

    def opened(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)
        if len(stack) > MAX_DEPTH:
            raise refusal(source, f"line {element.line}", tag, f"at most {MAX_DEPTH} nested elements")

    def closed(_: str) -> None:
        stack.pop()

    def said(data: str) -> None:
        stack[-1].text += data

    def doctype(name: str, _system: str | None, _public: str | None, has_internal_subset: bool) -> None:
        if has_internal_subset:
            raise refusal(source, f"line {parser.CurrentLineNumber}", f"DOCTYPE {name} [...]", "no definitions")

    def entity(name: str, *_: object) -> None:
        raise refusal(source, f"line {parser.CurrentLineNumber}", f"ENTITY {name}", "no definitions")

    parser.buffer_text = True
    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    parser.CharacterDataHandler = said
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = entity
    try:
        # The text is decoded already: an encoding that the document declares does not count any more.
        parser.Parse(_without_declaration(text).encode("utf-8"), True)
    except expat.ExpatError as error:
        where = f"line {error.lineno}, column {error.offset + 1}"
        raise refusal(source, where, "", f"well-formed XML ({expat.ErrorString(error.code)})") from None
    except UnicodeEncodeError:
        raise refusal(source, "", "a lone surrogate", "well-formed XML") from None
    return stack[0].children[0]


def _without_declaration(text: str) -> str:
    start = len(text) - len(text.lstrip())
    if not text.startswith("<?xml", start) or "?>" not in text:
        return text
    end = text.index("?>") + 2
    declaration = text[:end]
    return "\n" * declaration.count("\n") + text[end:]
