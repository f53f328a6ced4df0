"""Drives the pages in a headless Chromium: the inspector, the report of `run`, the graph of `explore`.

    tests.py SERVE COMMAND [--shots FOLDER] [--only WORD]

SERVE is moonlatch-serve and COMMAND moonlatch. With --shots it photographs each panel, light and dark, on a desktop and
on a phone. The last line is the count: "20 passed, 0 failed".
"""

import argparse
import os
import subprocess
import sys
import tempfile
import traceback

import axe
from browser import Browser, Failure
from served import Served

HERE = os.path.dirname(os.path.abspath(__file__))
SHOP = os.path.join(HERE, "shop.lua")
SECRET = "hidden-4711"
ROWS = "return [...document.querySelectorAll('#rows .row')].map(each => each.innerText.replace(/\\s+/g, ' '))"
tests = []


def test(body):
    tests.append(body)
    return body


def expect(holds, otherwise):
    if not holds:
        raise Failure(str(otherwise))


def opened(browser, served, case=None):
    browser.open(served.of(case) if case else served.address)
    browser.wait("return document.querySelectorAll('#rows .row').length && document.querySelector('#live.on')")
    settled(browser)


def settled(browser):
    """Nothing is asked any more, and all is drawn."""
    browser.wait("return new Promise(done => setTimeout(() => requestAnimationFrame(() => done(true)), 250))")


def silent(browser):
    said = browser.complaints()
    expect(not said, said)


def played(served):
    """Something of each kind has happened."""
    served.dispatch("pay")
    served.dispatch("place", {"cents": 250, "note": "no onions"})
    served.dispatch("tell", {"pin": SECRET})
    served.dispatch("add", {"line": {"dish": "soup", "count": 2, "extras": ["bread"]}})
    served.dispatch("log_in", {"name": "ann"})
    served.dispatch("place", {"cents": 0})
    served.dispatch("pay")
    served.dispatch("cook")


def choose(browser, action):
    browser.run(
        "const all = [...document.querySelectorAll('.actions button')];"
        "const one = all.find(each => each.querySelector('.name').innerText === arguments[0]);"
        "if (one.getAttribute('aria-pressed') === 'false') one.click()", action)


def fill(browser, label, text):
    browser.run(
        "const label = [...document.querySelectorAll('form .field label')].find(each => each.innerText === arguments[0]);"
        "document.getElementById(label.htmlFor).focus(); document.getElementById(label.htmlFor).select?.()", label)
    browser.type(text)


def verdict(browser, word):
    return browser.wait(
        "const all = document.querySelector('.verdict'); return all && all.innerText.includes(arguments[0]) && all.innerText", word)


@test
def the_page_shows_a_case_and_asks_nobody_but_its_server(world):
    with Served(world.serve, SHOP) as served:
        opened(world.browser, served)
        text = world.browser.text()
        for word in ["shop.lua", "Timeline", "Machines", "waiting", "To come", "live"]:
            expect(word in world.browser.run("return document.body.textContent"), f"{word} is not there: {text}")
        asked = world.browser.run("return performance.getEntriesByType('resource').map(each => new URL(each.name).origin)")
        expect(set(asked) == {f"http://127.0.0.1:{served.port}"}, asked)
        silent(world.browser)


@test
def without_the_token_the_page_says_what_to_do(world):
    with Served(world.serve, SHOP) as served:
        for fragment in ["", "#token=" + "0" * 32]:
            world.browser.open(f"http://127.0.0.1:{served.port}/{fragment}")
            world.browser.wait("return document.body.innerText.includes('Open the whole address')")
        world.browser.complaints()


@test
def a_dispatch_from_the_form_stands_on_top_and_moves_the_machine(world):
    with Served(world.serve, SHOP) as served:
        opened(world.browser, served)
        choose(world.browser, "place")
        expect(world.browser.run("return document.querySelector('datalist option').value") == "250", "the samples are offered")
        fill(world.browser, "cents", "990")
        verdict(world.browser, "It may pass")
        world.browser.run("document.querySelector('#actions form button.main').click()")
        world.browser.wait(ROWS + ".some(each => each.includes('place { cents = 990'))")
        world.browser.wait("return document.querySelector('#machines .where').innerText === 'open.waiting'")
        settled(world.browser)
        expect(world.browser.run("return document.querySelectorAll('.chart .lit').length") == 2, "open and waiting are lit")
        rows = world.browser.run(ROWS)
        expect("say" in rows[0] and "#2" in rows[0] and "place" in rows[1], rows)


@test
def a_refusal_is_shown_with_who_and_why_and_sent_only_if_it_is_wanted(world):
    with Served(world.serve, SHOP) as served:
        opened(world.browser, served)
        choose(world.browser, "pay")
        said = verdict(world.browser, "machine order")
        expect("pay is not possible in empty" in said, said)
        expect(world.browser.run("return document.querySelector('form button.main').disabled"), "it cannot be sent")
        world.browser.run("document.querySelector('form .check input').click()")
        world.browser.run("document.querySelector('form button.main').click()")
        world.browser.wait("return document.querySelector('#rows .row.refused')")
        row = world.browser.run(ROWS)[0]
        expect("pay" in row and "machine order" in row, row)
        expect(served.ask(f"cases/{served.case}")["last"] == 1, "no entry was made")


@test
def impossible_actions_are_grey_with_their_reason(world):
    with Served(world.serve, SHOP) as served:
        opened(world.browser, served)
        tips = world.browser.run("return [...document.querySelectorAll('.chart .cannot title')].map(each => each.textContent)")
        expect(any("machine order pay is not possible in empty" in each for each in tips), tips)
        reasons = world.browser.run("return [...document.querySelectorAll('.actions .cannot')].map(each => each.innerText)")
        expect(any("rename" in each and "scope user" in each for each in reasons), reasons)
        expect(any("cook" in each and "machine order" in each for each in reasons), reasons)


@test
def a_line_of_the_past_shows_what_changed_and_what_might_have_passed_then(world):
    with Served(world.serve, SHOP) as served:
        played(served)
        opened(world.browser, served)
        before = served.ask(f"cases/{served.case}")
        world.browser.run("[...document.querySelectorAll('#rows .row')].find(each => each.innerText.includes('place') && each.classList.contains('passed')).click()")
        settled(world.browser)
        detail = world.browser.run("return document.getElementById('detail').innerText")
        for word in ["cents: nothing → 250", "order: \"empty\" → \"open.waiting\"", "no onions"]:
            expect(word in detail, f"{word} is not in {detail}")
        expect(world.browser.run("return document.querySelector('#machines .where').innerText") == "open.waiting", "lit as then")
        lines = world.browser.run("return [...document.querySelectorAll('.chart .last text')].map(each => each.textContent)")
        expect(lines == ["place"], lines)
        expect("remind" in world.browser.run("return document.getElementById('coming').innerText"), "the timer of then")
        choose(world.browser, "say")
        verdict(world.browser, "You look at the past")
        expect(served.ask(f"cases/{served.case}") == before, "the case was not touched")
        world.browser.press("Escape")
        world.browser.wait("return document.querySelector('#moment').value.startsWith('now')")


@test
def the_slider_goes_through_time(world):
    with Served(world.serve, SHOP) as served:
        played(served)
        opened(world.browser, served)
        world.browser.run("document.querySelector('#travel input').focus()")
        world.browser.press("Home")
        world.browser.wait("return document.querySelector('#machines .where').innerText === 'empty'")
        expect(world.browser.run("return document.getElementById('moment').value.startsWith('entry 1 of')"), "the first entry")
        world.browser.press("End")
        world.browser.wait("return document.querySelector('#machines .where').innerText === 'open.ready'")


@test
def a_thread_of_causes_is_marked(world):
    with Served(world.serve, SHOP) as served:
        played(served)
        opened(world.browser, served)
        world.browser.run("[...document.querySelectorAll('#rows .row')].find(each => each.innerText.includes('say')).click()")
        settled(world.browser)
        marked = world.browser.run("return [...document.querySelectorAll('#rows .in-thread')].map(each => each.querySelector('b').innerText)")
        expect(marked == ["say", "place"], marked)


@test
def filters_show_some_of_the_lines(world):
    with Served(world.serve, SHOP) as served:
        played(served)
        opened(world.browser, served)
        click = "[...document.querySelectorAll('.filters button')].find(each => each.innerText === arguments[0]).click()"
        world.browser.run(click, "refused")
        expect([each for each in world.browser.run(ROWS) if "pay" in each] and len(world.browser.run(ROWS)) == 1, world.browser.run(ROWS))
        world.browser.run(click, "refused")
        world.browser.run("const all = document.querySelector('.filters select'); all.value = '0'; all.onchange()")
        rows = world.browser.run(ROWS)
        expect([each for each in rows if "cook" in each] and not [each for each in rows if "tell" in each], rows)


@test
def a_fork_and_a_scenario_are_made_of_the_past(world):
    with Served(world.serve, SHOP) as served:
        played(served)
        opened(world.browser, served)
        click = "[...document.querySelectorAll('footer button, dialog button')].find(each => each.innerText.startsWith(arguments[0])).click()"
        world.browser.run(click, "Scenario")
        text = world.browser.wait("const all = document.querySelector('dialog pre'); return all && !all.hidden && all.textContent")
        expect("pass.place { cents = 250" in text and SECRET not in text, text)
        with tempfile.TemporaryDirectory() as folder:
            # What is secret was left out, and has to be put in.
            with open(os.path.join(folder, "it.scenario.lua"), "w", encoding="utf-8") as file:
                file.write(text.replace("•••", SECRET))
            with open(SHOP, encoding="utf-8") as source, open(os.path.join(folder, "shop.lua"), "w", encoding="utf-8") as file:
                file.write(source.read())
            done = subprocess.run([world.command, "run", folder], capture_output=True, text=True, check=False)
            expect(done.returncode == 0, done.stdout + done.stderr + text)
        world.browser.run(click, "Close")
        world.browser.run("document.querySelector('#travel input').focus()")
        world.browser.press("Home")
        world.browser.wait("return document.getElementById('moment').value.startsWith('entry 1')")
        world.browser.run(click, "Fork here")
        world.browser.run("document.querySelector('dialog form').requestSubmit()")
        world.browser.wait("return document.getElementById('case').innerText.includes('shop at 1')")
        world.browser.wait("return document.querySelector('#machines .where').innerText === 'empty'")


@test
def a_secret_is_dots_everywhere(world):
    with Served(world.serve, SHOP) as served:
        opened(world.browser, served)
        choose(world.browser, "tell")
        expect(world.browser.run("return document.querySelector('form input[type=password]') !== null"), "it is typed unseen")
        played(served)
        settled(world.browser)
        for tab in ["tab-change", "tab-state", "tab-views"]:
            world.browser.run("document.getElementById(arguments[0]).click()", tab)
            expect(SECRET not in world.browser.run("return document.documentElement.outerHTML"), tab)
        world.browser.run("document.getElementById('tab-state').click()")
        expect("•••" in world.browser.run("return document.getElementById('detail').innerText"), "dots are there")


@test
def what_looks_like_markup_is_a_text(world):
    evil = "<img src=x onerror=\"window.broken = 1\"></script><script>window.broken = 1</script>"
    with Served(world.serve, SHOP) as served:
        served.dispatch("say", {"text": evil})
        served.dispatch("log_in", {"name": evil})
        served.dispatch(evil.replace("/", "%2F").replace("<", "%3C").replace(">", "%3E").replace("\"", "%22").replace(" ", "%20"), {})
        opened(world.browser, served)
        world.browser.run("document.getElementById('tab-state').click()")
        settled(world.browser)
        expect("<img src=x" in world.browser.run("return document.getElementById('detail').innerText"), "the text is there")
        expect(world.browser.run("return document.querySelectorAll('img').length === 0 && !window.broken"), "and is a text")
        silent(world.browser)


@test
def a_nested_payload_is_filled_in(world):
    with Served(world.serve, SHOP) as served:
        opened(world.browser, served)
        choose(world.browser, "add")
        world.browser.run("[...document.querySelectorAll('form button')].find(each => each.innerText === 'Add to extras').click()")
        fill(world.browser, "extras 1", "bread")
        verdict(world.browser, "It may pass")
        world.browser.run("document.querySelector('#actions form').requestSubmit()")
        world.browser.wait("return document.getElementById('rows').innerText.includes('add')")
        row = [each for each in world.browser.run(ROWS) if "add" in each][0]
        expect("extras = { \"bread\" }" in row and "dish = \"soup\"" in row, row)


@test
def all_of_it_can_be_done_with_a_keyboard(world):
    with Served(world.serve, SHOP) as served:
        played(served)
        opened(world.browser, served)
        reached = set()
        for _ in range(80):
            world.browser.press("Tab")
            reached.add(world.browser.run("const one = document.activeElement; return one.closest('section, header, footer')?.id || one.closest('header, footer')?.tagName || ''"))
            outline = world.browser.run("const one = document.activeElement; return one === document.body || getComputedStyle(one).outlineStyle !== 'none'")
            expect(outline, "the focus is seen at " + world.browser.run("return document.activeElement.outerHTML.slice(0, 120)"))
        for place in ["timeline", "machines", "detail", "actions", "coming", "travel"]:
            expect(place in reached, f"{place} is not reached: {reached}")
        world.browser.run("document.getElementById('rows').focus()")
        world.browser.press("ArrowDown")
        world.browser.press("ArrowDown")
        settled(world.browser)
        chosen = world.browser.run("const list = document.getElementById('rows'); const one = document.getElementById(list.getAttribute('aria-activedescendant')); return one.getAttribute('aria-selected') + one.getAttribute('aria-posinset')")
        expect(chosen == "true2", chosen)


@test
def a_connection_that_was_cut_catches_up(world):
    with Served(world.serve, SHOP) as served:
        opened(world.browser, served)
        world.browser.tell("Network.enable")
        offline = dict(latency=0, downloadThroughput=-1, uploadThroughput=-1)
        # What is open already is cut by ending the stream itself.
        world.browser.tell("Network.emulateNetworkConditions", offline=True, **offline)
        world.browser.run("window.stop()")
        world.browser.wait("return document.querySelector('#live.off')")
        played(served)
        world.browser.tell("Network.emulateNetworkConditions", offline=False, **offline)
        world.browser.wait("return document.querySelector('#live.on')")
        world.browser.wait("return document.getElementById('rows').innerText.includes('cook')")
        rows = world.browser.run(ROWS)
        expect(len([each for each in rows if "cook" in each]) == 1 and len([each for each in rows if "place" in each]) == 2, rows)
        world.browser.complaints()


@test
def cases_are_listed_and_found(world):
    with tempfile.TemporaryDirectory() as folder:
        with Served(world.serve, SHOP, "--journal", os.path.join(folder, "orders.db")) as served:
            for name in ["o-1", "o-2", "kitchen"]:
                served.ask(f"cases/{name}", {})
            served.dispatch("place", {"cents": 5}, "o-2")
            world.browser.open(served.address)
            world.browser.wait("return document.querySelectorAll('#cases tbody tr').length === 3")
            world.browser.run("const all = document.querySelector('#cases input[type=search]'); all.value = 'o-'; all.oninput()")
            world.browser.wait("return document.querySelectorAll('#cases tbody tr').length === 2")
            world.browser.run("const all = document.querySelector('#cases input[type=search]'); all.value = ''; const place = document.querySelector('#cases select'); place.value = 'order.open'; place.onchange()")
            world.browser.wait("return document.querySelectorAll('#cases tbody tr').length === 1")
            world.browser.run("document.querySelector('#cases tbody a').click()")
            world.browser.wait("return document.querySelector('#machines .where').innerText === 'open.waiting'")


@test
def on_a_phone_one_panel_is_shown_and_nothing_is_cut_off(world):
    with Served(world.serve, SHOP) as served:
        played(served)
        world.browser.resize(390, 844)
        try:
            opened(world.browser, served)
            for tab in ["timeline", "machines", "detail", "actions", "coming"]:
                world.browser.run("document.querySelector(`#tabs [data-panel=${arguments[0]}]`).click()", tab)
                settled(world.browser)
                shown = world.browser.run("return [...document.querySelectorAll('main > .panel')].filter(each => each.offsetParent).map(each => each.id)")
                expect(shown == [tab], shown)
                expect(world.browser.run("return document.documentElement.scrollWidth <= 390"), f"{tab} is too wide")
        finally:
            world.browser.resize()


@test
def axe_finds_nothing(world):
    expect(world.axe, "axe-core is not to be had: pip download axe-playwright-python")
    with Served(world.serve, SHOP) as served:
        played(served)
        try:
            for width, height, dark in [(1440, 900, False), (1440, 900, True), (390, 844, False), (390, 844, True)]:
                world.browser.resize(width, height, dark)
                opened(world.browser, served)
                for tab in ["timeline", "machines", "detail", "actions", "coming"] if width < 500 else [""]:
                    if tab:
                        world.browser.run("document.querySelector(`#tabs [data-panel=${arguments[0]}]`).click()", tab)
                    choose(world.browser, "add")
                    settled(world.browser)
                    axe.look(world.browser, world.axe)
                world.browser.run("[...document.querySelectorAll('#rows .row')][2].click()")
                settled(world.browser)
                axe.look(world.browser, world.axe)
                world.browser.run("document.querySelector('footer button:last-of-type').click()")
                world.browser.wait("const all = document.querySelector('dialog pre'); return all && !all.hidden")
                axe.look(world.browser, world.axe)
                world.browser.open(served.address.split("&")[0])
                world.browser.wait("return document.querySelector('#cases tbody tr')")
                axe.look(world.browser, world.axe)
        finally:
            world.browser.resize()


@test
def the_report_of_run_and_the_graph_of_explore_are_pages_of_the_same_parts(world):
    with tempfile.TemporaryDirectory() as folder:
        report, graph = os.path.join(folder, "run.html"), os.path.join(folder, "graph.html")
        examples = os.path.join(HERE, "..", "..", "examples")
        subprocess.run([world.command, "run", os.path.join(examples, "turnstile"), "--report", f"html={report}"],
                       capture_output=True, check=False)
        subprocess.run([world.command, "explore", os.path.join(examples, "elevator", "elevator.lua"), "--graph", graph],
                       capture_output=True, check=False)
        for page, wanted in [(report, "#rows tr"), (graph, "svg.chart .state")]:
            for dark in [False, True]:
                world.browser.resize(1200, 900, dark)
                world.browser.open(f"file://{page}")
                world.browser.wait("return document.querySelector(arguments[0])", wanted)
                if world.axe:
                    axe.look(world.browser, world.axe)
                if world.shots:
                    world.browser.photograph(os.path.join(world.shots, f"{os.path.basename(page)[:-5]}{'-dark' if dark else ''}.png"))
            silent(world.browser)
        world.browser.resize()


@test
def photographs(world):
    """Of each panel, for people to look at."""
    if not world.shots:
        return
    with Served(world.serve, SHOP) as served:
        played(served)
        for width, height, dark in [(1440, 900, False), (1440, 900, True), (820, 1100, False), (390, 844, False), (390, 844, True)]:
            world.browser.resize(width, height, dark)
            opened(world.browser, served)
            choose(world.browser, "add")
            settled(world.browser)
            name = os.path.join(world.shots, f"{'phone' if width < 500 else 'tablet' if width < 1000 else 'desktop'}-{'dark' if dark else 'light'}")
            for tab in ["timeline", "machines", "detail", "actions", "coming"] if width < 500 else [""]:
                if tab:
                    world.browser.run("document.querySelector(`#tabs [data-panel=${arguments[0]}]`).click()", tab)
                    settled(world.browser)
                world.browser.photograph(f"{name}{'-' + tab if tab else ''}.png")
            world.browser.run("[...document.querySelectorAll('#rows .row')].find(each => each.innerText.includes('place') && each.classList.contains('passed')).click()")
            settled(world.browser)
            world.browser.photograph(f"{name}-past.png")
        world.browser.resize()
    with tempfile.TemporaryDirectory() as folder:
        with Served(world.serve, SHOP, "--journal", os.path.join(folder, "orders.db")) as served:
            for number in range(30):
                served.ask(f"cases/o-{number}", {})
                if number % 3:
                    served.dispatch("place", {"cents": 100 + number}, f"o-{number}")
                if number % 3 == 2:
                    served.dispatch("pay", {}, f"o-{number}")
            for width, height, dark in [(1440, 900, False), (390, 844, True)]:
                world.browser.resize(width, height, dark)
                world.browser.open(served.address)
                world.browser.wait("return document.querySelector('#cases tbody tr')")
                settled(world.browser)
                world.browser.photograph(os.path.join(world.shots, f"cases-{'phone-dark' if width < 500 else 'desktop-light'}.png"))
            world.browser.resize()


class World:
    pass


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("serve")
    reader.add_argument("command")
    reader.add_argument("--shots")
    reader.add_argument("--only", default="")
    asked = reader.parse_args()
    world = World()
    world.serve, world.command, world.shots = asked.serve, asked.command, asked.shots
    if world.shots:
        os.makedirs(world.shots, exist_ok=True)
    world.axe = axe.text(os.path.join(HERE, "..", "..", ".build", "axe"))
    world.browser = Browser()
    passed = failed = 0
    try:
        for body in tests:
            name = body.__name__.replace("_", " ")
            if asked.only not in name:
                continue
            try:
                world.browser.open("about:blank")
                world.browser.complaints()
                body(world)
                passed += 1
                print(f"ok      {name}", flush=True)
            except Exception as error:  # the next one is run all the same
                failed += 1
                print(f"FAILED  {name}: {error}", flush=True)
                if not isinstance(error, Failure):
                    traceback.print_exc()
    finally:
        world.browser.close()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
