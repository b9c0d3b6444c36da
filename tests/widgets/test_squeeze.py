"""A squeezed script does what its source does."""

from __future__ import annotations

import ast
import inspect
import re

import pytest
from mock_page import ANATOMY, TREE
from module_subjects import Net

import nbmodule_widgets as nw
from nbmodule_widgets.views import script as joining
from nbmodule_widgets.views.squeeze import squeezed_script, squeezed_styles, too_deep

TRICKY = {
    "strings": """["a  =  b", 'it\\'s // no comment', "/* nor this */", `${1 +  1} , ;  }`]""",
    "a template in a template": """((a) => `x  ${a  ?  `${a  +  1} , ;  }` : {  }  } //  y`)(1  )""",
    "regular expressions": """"a , b  (c) \\" d".split(/[, "'/]  ?|  =/) // a comment: '""",
    "division": "((a, b) => a / b / 2)(8 , 2)  /  2 /* a comment / */ + 1",
    "signs": "[1 + +1, 2 - -1, 3 * -1, 1 - 1, 5 % 3, 2 ** 3, !true, 1 <= 2, 1 >= 2, 1 !== 2, 1 ?? 2, {a: 1}?.a ?.b ]",
    "lists": """[[1 , , 2,], [ , ].length, [ 1, [2 , ] , ], { a : [ 3 ] , }, ((a, b,) => a[b])([7, 8,], 1, )]""",
    "statements": """(() => {
        let n = 0; // counts
        for (let i = 0; i < 3; i++) { n += i; }
        for (;;) { if (n > 5) break; else n++; }
        do { n-- } while (n > 2);
        switch (n) { case 2: n = 20; break; default: n = 0; }
        const { a = 1, ...rest } = { b: 2 }
        const f = async (x) => x;
        return [n, a, rest, typeof f, n in [1], ((x) => { return /\\d+ ?/.test(x); })("1 ")];
    })()""",
}


@pytest.mark.browser
@pytest.mark.parametrize("source", TRICKY.values(), ids=TRICKY)
def test_tricky_sources_mean_the_same(stage, source):
    squeezed = squeezed_script(source)
    assert len(squeezed) < len(source)
    results = [
        stage.page.evaluate(f"() => JSON.stringify({text}\n)") for text in (source, squeezed)
    ]
    assert results[0] == results[1]
    assert results[0]


def test_a_template_that_cannot_be_squeezed_is_found():
    assert too_deep("f(`a ${b ? `${c}` : {}}`);") == []
    assert too_deep("let a;\nf(`a ${b({ c: { d: `e  f` } })}`);") == [2]


def test_styles_keep_what_means_something():
    css = """/* all */ .a .b > c:hover , .d { margin : 0  auto; width: calc(1px + 2px) ; }
        @media (width < 600px) and (hover) { .a:is(.b, .c) { color: light-dark(#fff, #000) } }"""
    assert squeezed_styles(css) == (
        ".a .b>c:hover,.d{margin :0 auto;width:calc(1px + 2px)}"
        "@media (width < 600px) and (hover){.a:is(.b,.c){color:light-dark(#fff,#000)}}"
    )


def joined(view: object) -> str:
    """The view's script, not squeezed."""
    said = re.search(r"_esm = script(\(.*?\))", inspect.getsource(type(view)), re.S)
    assert said
    return joining.script(*ast.literal_eval(said[1]))


@pytest.mark.browser
@pytest.mark.parametrize(("make", "names"), [(nw.show, TREE), (nw.lessons.anatomy, ANATOMY)])
def test_a_view_behaves_alike_with_its_source_and_squeezed(stage, monkeypatch, make, names):
    view = make(Net())
    monkeypatch.setattr(joining, "squeezed_script", lambda source: source)
    monkeypatch.setattr(joining, "squeezed_styles", lambda source: source)
    long, short = joined(view), str(view._esm)
    assert len(short) < 0.9 * len(long)
    seen = []
    for source in (long, short):
        view._esm = source
        stage.show(view, names)
        stage.page.locator("[role=tree], input").first.focus()
        stage.keys("ArrowDown", "ArrowDown", "ArrowRight", "End", "f", "Tab", "Tab", "Enter")
        stage.page.wait_for_timeout(300)
        seen.append(
            stage.page.evaluate(
                """() => { const root = document.querySelector(".nbmodule-view").shadowRoot;
                     const rules = [...root.querySelector("style").sheet.cssRules].map((rule) => rule.cssText);
                     return [rules.join(), root.querySelector("section").outerHTML, JSON.stringify(window.sent)]; }"""
            )
        )
    for one, other in zip(*seen, strict=True):
        assert comparable(one) == comparable(other)


def comparable(text: str) -> str:
    """Without ids drawn at random; and a variable's value keeps its blanks, though they mean nothing."""
    return re.sub(r"row-[a-z0-9]+-", "row-", text).replace(", ", ",")
