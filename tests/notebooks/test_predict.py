"""A prediction's truth is what its code does, and nothing else."""

from __future__ import annotations

import pytest

from nbmodule_course import Predict, UsageError, progress_file

start = 40


def ask(code: str, *options: str, **more) -> Predict:
    return Predict("98.a", "What comes out?", options=options, code=code, why="because", **more)


@pytest.mark.parametrize(
    ("code", "truth"),
    [
        ("print(1 + 1)", "2"),
        ("1 + 1", "2"),
        ("'two'", "two"),
        ("'two'", "'two'"),
        ("print('a')\nprint('b')", "a\nb"),
        ("print('a')\n3", "a\n3"),
        ("[][1]", "IndexError"),
        ("[][1]", "IndexError: list index out of range"),
        ("print('first')\n1 / 0", "ZeroDivisionError"),
        ("raise SystemExit", "SystemExit"),
        ("x = 1", ""),
        ("object()", "<object object>"),
        ("start + 2", "42"),
    ],
)
def test_the_true_option_is_found_by_running(code, truth):
    reveal = ask(code, "something else", truth).answer("b")
    assert reveal.fault == ""
    assert reveal.right is True
    assert progress_file.read()["predictions"] == {"98.a": {"chosen": "b", "right": True}}


def test_the_answer_follows_the_code_and_not_the_author():
    global start
    question = ask("start + 2", "42", "12")
    assert question.reveal().truth[0].letter == "a"
    start = 10
    try:
        assert question.reveal().truth[0].letter == "b"
    finally:
        start = 40


def test_labels_may_differ_from_the_output():
    question = Predict("98.a", "?", options={"it grows": "2", "it stays": "1"}, code="1 + 1")
    assert question.answer("a").right


def test_running_leaves_the_notebooks_names_alone():
    ask("start = 0", "", "x").reveal()
    assert start == 40


@pytest.mark.parametrize("options", [("1", "3"), ("2", "2 ")])
def test_a_question_without_one_truth_says_so_and_counts_for_nobody(options):
    reveal = ask("1 + 1", *options).answer("a")
    assert "a mistake in this question" in repr(reveal)
    assert "a mistake in this question" in reveal.to_html()
    assert progress_file.read()["predictions"] == {}


def test_a_cell_that_was_not_run_costs_no_answer():
    question = ask("Later", "5", "NameError: name 'Later' is not defined yet")
    with pytest.raises(UsageError, match="Run the cells above first: they define `Later`"):
        question.answer("a")
    assert not question.answered
    assert progress_file.read()["predictions"] == {}
    globals()["Later"] = 5
    try:
        assert question.answer("a").right
    finally:
        del globals()["Later"]
    assert ask("never_there", "5", "NameError").answer("b").right


def test_the_first_answer_counts():
    question = ask("1 + 1", "1", "2")
    assert question.answer("a").right is False
    assert question.answer("b").right is False
    again = ask("1 + 1", "1", "2")
    assert again.answer("B ").right is True
    assert progress_file.read()["predictions"]["98.a"] == {"chosen": "a", "right": False}


def test_the_question_shows_everything_but_the_answer():
    question = ask("print(6 * 7)", "41", "42")
    for text in (question.to_text(), question.to_html()):
        assert "What comes out?" in text
        assert "because" not in text
        assert text.count("42") == 1
    assert "print(6 * 7)" in repr(question)


def test_the_reveal_shows_code_output_verdict_and_reason():
    assert repr(ask("print(6 * 7)", "41", "42").answer("a")) == (
        "★ 98.a You'll remember this one. You predicted a), and it is b) 42\n"
        "the code:\n    print(6 * 7)\n"
        "what came out:\n    42\n"
        "because"
    )
    assert repr(ask("print(6 * 7)", "41", "42").reveal()).startswith("→ 98.a It is b) 42")


def test_wrong_questions_and_answers_are_refused():
    with pytest.raises(ValueError, match="at least two options"):
        ask("1", "1")
    with pytest.raises(ValueError, match="two options read the same"):
        ask("1", "1", "1")
    with pytest.raises(ValueError, match="question ids look like"):
        Predict("1a", "?", options=["1", "2"], code="1")
    with pytest.raises(UsageError, match="options a and b; got 'c'"):
        ask("1", "1", "2").answer("c")


def test_html_is_escaped():
    question = ask("print('<script>')", "<script>", "nothing")
    assert "<script>" not in question.to_html() + question.answer("a").to_html()


def live(question: Predict):
    """The live view."""
    from nbmodule_course.predict_view import PredictView

    return PredictView(question)


def press(view, letter):
    """As the page says it."""
    view._handle_custom_msg({"kind": "answer", "letter": letter}, [])


def test_the_card_reveals_once_something_is_chosen():
    view = live(ask("1 + 1", "1", "2"))
    assert (view.card["chosen"], view.card.get("truth")) == ("", None)
    press(view, "z")
    assert "options a and b" in view.card["said"]
    assert progress_file.read()["predictions"] == {}
    press(view, "a")
    press(view, "b")  # the first one counts
    assert (view.card["chosen"], view.card["truth"], view.card["tone"]) == ("a", "b", "info")
    assert view.card["verdict"] == "★ You'll remember this one. You predicted a), and it is b) 2"
    assert view.card["said"] == ""


def test_an_answer_is_kept_when_the_cell_runs_again_and_its_truth_is_worked_out_anew():
    global start
    press(live(ask("start + 2", "42", "12")), "a")
    start = 10
    try:
        again = live(ask("start + 2", "42", "12"))
    finally:
        start = 40
    assert (again.card["chosen"], again.card["truth"], again.card["tone"]) == ("a", "b", "info")
    assert progress_file.read()["predictions"]["98.a"] == {"chosen": "a", "right": True}
    assert "42\n" in again.to_html().replace("</div>", "\n")  # the stored form gives nothing away
    assert "What came out" not in again.to_html() + str(again)
    assert live(ask("1", "1", "2", "3")).card["chosen"] == "a"


@pytest.mark.parametrize("kept", ["z", 7, None, ["a"]])
def test_an_answer_that_is_no_option_is_none(kept):
    progress_file.record_prediction("98.a", kept, True)
    assert live(ask("1 + 1", "1", "2")).card["chosen"] == ""


def test_the_card_says_in_place_what_went_wrong(monkeypatch):
    question = ask("1 + 1", "1", "2")
    view = live(question)
    monkeypatch.setattr(question, "answer", lambda letter: 1 / 0)
    press(view, "b")
    assert "ZeroDivisionError" in view.card["said"]
    assert view.card["chosen"] == ""


def test_a_notebook_gets_the_live_view_and_both_static_forms():
    bundle = ask("1 + 1", "1", "2")._repr_mimebundle_()
    assert set(bundle) == {
        "text/plain",
        "text/html",
        "application/vnd.jupyter.widget-view+json",
    }
