"""Play, step and scrub in the page: what moves, what is said, and that nothing is sent."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from nbmodule_widgets.views.script import script

pytestmark = pytest.mark.browser

VIEW = """
function render({ model, el }) {
  const { root, undo, dispose } = frame(model, el, "a recording");
  const out = make("output"), tree = make("div", { tabindex: 0, role: "tree" }), field = make("input", { type: "text" });
  const seen = (window.seen = []), into = { label: "into", title: "step into", key: "i", act: () => transport.go(transport.at() + 5, "into") };
  const move = (i, why) => { seen.push(`${why} ${i}`); out.textContent = `shown ${i}`; };
  const transport = (window.transport = player(root, { label: "moments", name: (i) => `moment <b>${i}`, move, extra: [into] }));
  tree.addEventListener("keydown", (event) => event.key === "ArrowRight" && event.preventDefault());
  undo.push(transport.dispose);
  root.append(transport.node, out, tree, field);
  transport.reset(model.get("count"));
  return dispose;
}
export default { render };
"""


class Recording:
    """A player over so many moments, in a page."""

    def __init__(self, stage, count: int) -> None:
        view = SimpleNamespace(_esm=script("core", "player") + VIEW, count=count)
        stage.show(view, ("count",))
        self.page = stage.page
        self.slider = self.page.get_by_role("slider", name="moments")

    def button(self, name: str):
        return self.page.get_by_role("button", name=name, exact=True)

    def seen(self) -> list[str]:
        """Why and where it moved since it was last asked."""
        return self.page.evaluate("() => window.seen.splice(0)")

    def at(self) -> int:
        return self.page.evaluate("() => window.transport.at()")

    def sent(self) -> list[str]:
        return self.page.evaluate("() => window.sent.map((message) => message.kind)")


def test_buttons_slider_and_keys_move(stage):
    recording = Recording(stage, 12)
    assert recording.seen() == ["reset 0"]
    for name in ("step forward", "step forward", "step back", "last moment", "first moment"):
        recording.button(name).click()
    recording.button("step into").click()
    assert recording.seen() == ["step 1", "step 2", "step 1", "step 11", "step 0", "into 5"]
    recording.slider.fill("9")
    assert recording.slider.get_attribute("aria-valuetext") == "10 of 12: moment <b>9"
    stage.keys("ArrowLeft", "Home", "End", "ArrowRight", "ArrowLeft", "i")
    assert recording.seen() == ["scrub 9", "step 8", "step 0", "step 11", "step 10", "into 11"]
    assert recording.page.get_by_text("12 of 12", exact=True).is_visible()
    assert recording.sent() == ["opened"]


def test_keys_that_others_take_are_theirs(stage):
    recording = Recording(stage, 12)
    recording.seen()
    recording.page.get_by_role("textbox").focus()
    stage.keys("ArrowRight", "i", "Space", "End")
    assert recording.page.get_by_role("textbox").input_value() == "i "
    recording.page.get_by_role("tree").focus()
    stage.keys("ArrowRight", "Control+ArrowLeft", "Shift+End")  # the tree takes the arrow
    recording.page.get_by_label("speed").focus()
    stage.keys("ArrowDown")
    assert recording.seen() == []
    recording.button("step forward").focus()
    stage.keys("Space")  # presses the button that has the focus
    assert recording.seen() == ["step 1"]
    assert recording.page.evaluate("() => window.transport.playing()") is False


def test_an_end_keeps_the_focus_and_play_starts_anew(stage):
    recording = Recording(stage, 3)
    recording.button("last moment").click()
    forward = recording.button("step forward")
    assert forward.get_attribute("aria-disabled") == "true"
    forward.click(force=True)
    assert forward.evaluate("e => e.getRootNode().activeElement === e")
    recording.page.get_by_label("speed").select_option("8×")
    recording.seen()
    recording.slider.focus()
    stage.keys("Space")
    recording.page.wait_for_function("() => window.seen.length === 3")
    recording.button("play").wait_for()
    assert recording.seen() == ["play 0", "play 1", "play 2"]
    assert recording.sent() == ["opened"]


def test_a_long_recording_plays_in_strides_and_stops_when_it_is_touched(stage):
    recording = Recording(stage, 20_000)
    recording.page.get_by_label("speed").select_option("all in 20 s")
    recording.button("play").click()
    recording.page.wait_for_function("() => window.seen.length > 3")
    recording.button("step back").click()
    at = recording.at()
    *_, before, last = recording.seen()
    assert last == f"step {at}"
    assert before == f"play {at + 1}"
    assert (at + 1) % 40 == 0  # 40 ms of 20 s
    recording.page.wait_for_timeout(150)
    assert recording.at() == at


def test_holding_a_step_repeats_it_until_it_is_let_go(stage):
    recording = Recording(stage, 500)
    box = recording.button("step forward").bounding_box()
    stage.page.mouse.move(box["x"] + 9, box["y"] + 9)
    stage.page.mouse.down()
    recording.page.wait_for_function("() => window.transport.at() > 3")
    stage.page.mouse.up()
    at = recording.at()
    recording.page.wait_for_timeout(250)
    assert recording.at() == at


def test_nothing_jumps_and_each_moment_is_said(stage):
    recording = Recording(stage, 1200)
    transport = recording.page.get_by_role("group", name="moments")
    places = []
    for number in (0, 8, 9, 1198):
        recording.page.evaluate("(i) => window.transport.go(i)", number)
        places.append(
            transport.locator("button, select").evaluate_all("all => all.map((e) => e.offsetLeft)")
        )
        recording.page.get_by_role("status").get_by_text(f"moment <b>{number}").wait_for(
            state="attached"
        )
    recording.page.evaluate("() => window.transport.go(3)")
    said = recording.page.get_by_role("status").get_by_text("moment <b>")
    said.and_(recording.page.get_by_text("moment <b>3")).wait_for(state="attached")
    recording.button("play").click()
    recording.page.wait_for_function("() => window.transport.at() > 4")
    assert said.inner_text() == "moment <b>3"  # while it plays, nobody could follow
    places.append(
        transport.locator("button, select").evaluate_all("all => all.map((e) => e.offsetLeft)")
    )
    recording.button("pause").click()
    recording.page.get_by_role("status").get_by_text(f"moment <b>{recording.at()}").wait_for(
        state="attached"
    )
    assert all(place == places[0] for place in places)


@pytest.mark.parametrize("count", [0, 1])
def test_where_there_is_nothing_to_play(stage, count):
    recording = Recording(stage, count)
    assert recording.seen() == ["reset 0"] * count
    stage.keys("Tab")
    recording.button("play").click(force=True)
    stage.keys("ArrowRight", "End")
    assert recording.seen() == []
    assert recording.slider.is_disabled()
    assert recording.page.get_by_text(f"{count} of {count}", exact=True).is_visible()
    recording.page.evaluate("() => window.cleanUp()")
    assert recording.page.evaluate("() => window.listening()") == 0
