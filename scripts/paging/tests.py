"""Drives the pages in a headless Chromium: the inspector, the report of `run`, the graph of `explore`.

    tests.py SERVE COMMAND [--shots FOLDER] [--only WORD]

SERVE is moonlatch-serve and COMMAND moonlatch. With --shots it photographs each panel, light and dark, on a desktop and
on a phone. The last line is the count: "20 passed, 0 failed".
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import traceback

import axe
from browser import Browser, Failure
from served import Served, ServedTasks

HERE = os.path.dirname(os.path.abspath(__file__))
SHOP = os.path.join(HERE, "shop.lua")
COURIER = os.path.join(HERE, "courier.lua")
MAIL = os.path.join(HERE, "mail.lua")
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
    """The page has no complaints. Those of a page before it, whose server has ended, may come late."""
    origin = browser.run("return location.origin")
    said = [each for each in browser.complaints() if each.startswith(origin) or not each.startswith("http://127.0.0.1:")]
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
        for word in ["shop.lua", "Timeline", "Machines", "waiting", "Pending", "live"]:
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
        expect(served.ask(f"cases/{served.case}")["last"] == 2, "the refusal is an entry")


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
        expect("remind" in world.browser.run("return document.getElementById('pending').innerText"), "the timer of then")
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
        for place in ["timeline", "machines", "detail", "actions", "pending", "travel"]:
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
def effects_say_what_they_wait_for_and_why_they_failed(world):
    with Served(world.serve, COURIER) as served:
        for action in ["send", "nap", "lose"]:
            served.dispatch(action)
        opened(world.browser, served)
        panel = "return document.getElementById('pending').innerText"
        world.browser.wait("return document.getElementById('pending').innerText.includes('Effects that failed')")
        text = world.browser.run(panel)
        for part in ["effect.send", "retrying", "tries again in", "1 failed attempt, the last: the depot does not answer", "durable",
                     "effect.nap", "sleeping", "sleeps, continues in", "effect.lose", "nobody has seen it", "nothing followed", "because of #1"]:
            expect(part in text, (part, text))
        world.browser.run("document.querySelector('#pending summary').click()")
        expect("attempt 1 of 5" in world.browser.run(panel), world.browser.run(panel))
        world.browser.run("document.querySelector('#pending button.link').click()")
        world.browser.wait("return document.querySelector('footer.past') && document.querySelector('#rows [aria-selected=true]').innerText.includes('lose')")
        silent(world.browser)


@test
def an_effect_shows_the_task_for_which_it_waits(world):
    with ServedTasks(world.serve, MAIL, "--journal", "memory") as served:
        served.ask("cases/o-1", {})
        for action in ["send", "post"]:
            served.dispatch(action, {"text": "hello"}, "o-1")
        opened(world.browser, served, "o-1")
        panel = "return document.getElementById('pending').innerText.replace(/\\s+/g, ' ')"
        text = world.browser.wait(f"return (() => {{ {panel} }})().includes('task 2') && (() => {{ {panel} }})()")
        for part in ["waits for root.mail for", "task 1 of queue mail", "ready", "no worker has it", "Without an answer it fails in",
                     "waits for root.letter for", "task 2 of queue post"]:
            expect(part in text, (part, text))
        # Claims and ends of leases are no entries of the case.
        served.claim("mail", "w-<1>")
        world.browser.wait("return document.getElementById('pending').innerText.includes('w-<1> has it; its lease ends in')")
        served.let_die("post")
        world.browser.wait("return document.querySelector('#pending .task .chip.dead')")
        text = world.browser.run(panel)
        for part in ["attempt 1: w-<1> has it", "attempt 1: an operator has to see to it", "last error: 1 lease has ended without an answer"]:
            expect(part in text, (part, text))
        world.browser.run("document.querySelector('#pending .task a').click()")
        world.browser.wait("return document.querySelectorAll('#tasks tbody tr').length === 1")
        silent(world.browser)


@test
def dead_tasks_are_retried_answered_and_dropped(world):
    evil = "<img src=x onerror=\"window.broken = 1\">"
    status = "return [...document.querySelectorAll('#tasks [role=status]')].map(each => each.innerText).join(' ')"
    click = "[...document.querySelectorAll(arguments[0])].find(each => each.innerText === arguments[1]).click()"
    with ServedTasks(world.serve, MAIL, "--journal", "memory") as served:
        for name in ["o-1", "o-2"]:
            served.ask(f"cases/{name}", {})
        served.dispatch("post", {"text": evil}, "o-1")
        world.browser.open(served.address)
        world.browser.wait("return document.querySelector('#cases .counts a')?.innerText === 'dead tasks 0'")
        served.let_die("post")
        world.browser.run("document.querySelector('#cases .counts a').click()")
        row = world.browser.wait("return document.querySelector('#tasks tbody tr')?.innerText")
        for part in ["dead", "o-1", "root.letter", "queue post", "last w-1", "1 lease has ended without an answer"]:
            expect(part in row, (part, row))
        page = world.browser.run("return document.documentElement.outerHTML")
        expect(SECRET not in page and "•••" in page and "9007199254740993" in page, "arguments, with dots")
        expect(world.browser.run("return document.querySelectorAll('img').length === 0 && !window.broken"), "all is text")
        if world.axe:
            axe.look(world.browser, world.axe)

        world.browser.run(click, "#tasks button", "Retry")
        world.browser.wait(f"return (() => {{ {status} }})().includes('Task 1 is ready again. No task is dead')")
        served.let_die("post")
        world.browser.wait("return document.querySelector('#tasks tbody tr')")
        world.browser.run(click, "#tasks button", "Answer\u2026")
        world.browser.run("const field = document.querySelector('dialog textarea'); field.focus(); field.value = '{ \"id\": 1 }'; field.form.requestSubmit()")
        world.browser.wait("return document.querySelector('dialog').innerText.includes('result.id must be a string')")
        world.browser.run("const field = document.querySelector('dialog textarea'); field.value = '{ \"id\": \"l-1\" }'; field.form.requestSubmit()")
        world.browser.wait("return !document.querySelector('dialog').open && !document.querySelector('#tasks tbody tr')")
        expect(served.request("/cases/o-1/state")["sent"] == "l-1", "the effect goes on with the answer")

        served.dispatch("send", {"text": "hello"}, "o-2")
        task = served.claim("mail")[0]
        served.ask("cases/o-2/end", {})
        served.request(f"/tasks/{task['id']}/complete", {"token": task["token"], "result": {"id": "m-1"}})
        row = world.browser.wait("return document.querySelector('#tasks tbody tr.unheard')?.innerText")
        expect("o-2" in row and "answer" in row, row)
        world.browser.run(click, "#tasks button", "Drop\u2026")
        world.browser.run("document.querySelector('dialog form').requestSubmit()")
        world.browser.wait(f"return (() => {{ {status} }})().includes('is dropped. No task is dead')")
        expect(served.request("/tasks?state=dead")["tasks"] == [], "it is gone")
        # The browser itself reports the answer with status 422.
        said = [each for each in world.browser.complaints() if "422" not in each]
        expect(not said, said)


@test
def a_read_only_page_shows_dead_tasks_without_buttons(world):
    with tempfile.TemporaryDirectory() as folder:
        journal = os.path.join(folder, "mail.db")
        with ServedTasks(world.serve, MAIL, "--journal", journal) as served:
            served.ask("cases/o-1", {})
            served.dispatch("post", {"text": "hello"}, "o-1")
            served.let_die("post")
        with ServedTasks(world.serve, MAIL, "--journal", journal, "--read-only") as served:
            world.browser.open(served.address + "&tasks=dead")
            world.browser.wait("return document.querySelector('#tasks tbody tr')")
            shown = world.browser.run("return [...document.querySelectorAll('#tasks button')].filter(each => each.offsetParent).map(each => each.innerText)")
            expect(shown == ["post 1"], shown)
            silent(world.browser)


@test
def times_of_the_present_go_on_and_those_of_the_past_stand_still(world):
    with Served(world.serve, COURIER) as served:
        served.dispatch("send")
        opened(world.browser, served)
        held = "return [...document.querySelectorAll('#pending li')].find(each => each.innerText.includes('held by send')).innerText"
        before = world.browser.run(held)
        world.browser.wait(f"return (() => {{ {held} }})() !== arguments[0]", before)
        served.dispatch("nap")
        world.browser.wait("return document.querySelectorAll('#rows .row').length > 2")
        world.browser.run("[...document.querySelectorAll('#rows .row')].find(each => each.innerText.includes('send')).click()")
        settled(world.browser)
        then = world.browser.run("return document.getElementById('pending').innerText")
        world.browser.wait("return new Promise(done => setTimeout(() => done(true), 1200))")
        expect(world.browser.run("return document.getElementById('pending').innerText") == then, "the past stands still")
        silent(world.browser)


@test
def delays_are_durations_as_people_write_them(world):
    with Served(world.serve, COURIER) as served:
        opened(world.browser, served)
        chart = world.browser.run("return document.querySelector('#machines svg').textContent")
        expect("after 14 days" in chart and "after 1 day 12 h" in chart and "1209600" not in chart, chart)
        pending = world.browser.run("return document.getElementById('pending').innerText")
        expect("after 14 days in parcel.packed" in pending and "1209600" not in pending, pending)


@test
def the_chart_fits_its_panel(world):
    size = """const chart = document.querySelector('#machines svg').getBoundingClientRect(), panel = document.querySelector('#machines .body');
        return { wide: chart.width / panel.clientWidth, high: chart.height / panel.clientHeight, scrolls: panel.scrollHeight > panel.clientHeight + 2 }"""
    try:
        for flow in [COURIER, SHOP]:
            with Served(world.serve, flow) as served:
                for width, height in [(1440, 900), (1000, 1300), (1920, 1080)]:
                    world.browser.resize(width, height)
                    opened(world.browser, served)
                    found = world.browser.run(size)
                    expect(max(found["wide"], found["high"]) > 0.6 or found["wide"] > 0.5, (flow, width, found))
                    world.browser.run("[...document.querySelectorAll('#machines button')].find(each => each.innerText === 'Fit').click()")
                    settled(world.browser)
                    found = world.browser.run(size)
                    expect(not found["scrolls"] and found["wide"] <= 1, (flow, width, found))
    finally:
        world.browser.resize()
    silent(world.browser)


@test
def a_refusal_of_another_client_appears_at_once(world):
    with Served(world.serve, SHOP) as served:
        opened(world.browser, served)
        before = served.ask(f"cases/{served.case}")["last"]
        served.dispatch("pay")
        world.browser.wait("return document.querySelector('#rows .row.refused')")
        expect(served.ask(f"cases/{served.case}")["last"] == before + 1, "the refusal is an entry")
        expect(world.browser.run("return document.querySelectorAll('#rows .row.refused').length") == 1, "it is there once")
        served.dispatch("place", {"cents": 250})
        world.browser.wait("return [...document.querySelectorAll('#rows .row')].some(each => each.innerText.includes('place'))")
        settled(world.browser)
        expect(len([each for each in world.browser.run(ROWS) if "pay" in each]) == 1, world.browser.run(ROWS))
        silent(world.browser)


@test
def an_address_leads_to_a_moment(world):
    with Served(world.serve, SHOP) as served:
        played(served)
        opened(world.browser, served)
        world.browser.run("[...document.querySelectorAll('#rows .row')].find(each => each.innerText.includes('tell')).click()")
        settled(world.browser)
        address = world.browser.run("return location.href")
        expect("&at=" in address, address)
        world.browser.open("about:blank")
        world.browser.open(address)
        world.browser.wait("const row = document.querySelector('#rows [aria-selected=true]'); return row && row.innerText.includes('tell') && document.querySelector('footer.past')")
        world.browser.press("Escape")
        world.browser.wait("return !document.querySelector('footer.past') && !location.hash.includes('at=')")
        silent(world.browser)


@test
def two_moments_are_compared(world):
    with Served(world.serve, SHOP) as served:
        played(served)
        opened(world.browser, served)
        world.browser.run("document.getElementById('tab-compare').click()")
        click = "[...document.querySelectorAll('#detail button')].find(each => each.innerText.startsWith(arguments[0])).click()"
        world.browser.run(click, "Mark")
        world.browser.run("[...document.querySelectorAll('#rows .row')].find(each => each.innerText.includes('begins')).click()")
        settled(world.browser)
        text = world.browser.run("return document.getElementById('detail').innerText")
        for part in ["From entry 1 to now", "differences", "cents", "250", "user"]:
            expect(part in text, (part, text))
        expect(SECRET not in text, text)
        world.browser.run(click, "Unmark")
        expect("choose another" in world.browser.run("return document.getElementById('detail').innerText"), "no moment is marked")
        silent(world.browser)


@test
def a_case_is_saved_as_a_file(world):
    with Served(world.serve, SHOP) as served:
        played(served)
        opened(world.browser, served)
        world.browser.run("""const make = URL.createObjectURL; window.saved = null;
            URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text; }); return make(blob); };
            [...document.querySelectorAll('footer button')].find(each => each.innerText === 'Export').click()""")
        saved = world.browser.wait("return window.saved")
        case = json.loads(saved)
        expect(case["state"]["cents"] == 250 and len(case["rows"]) >= 8, case)
        expect(any(row["action"] == "place" and row["payload"].get("cents") == 250 for row in case["rows"]), case["rows"])
        expect(SECRET not in saved, saved)
        silent(world.browser)


@test
def many_cases_are_filtered_counted_and_ended(world):
    with tempfile.TemporaryDirectory() as folder:
        journal = os.path.join(folder, "orders.db")
        rows = "return document.querySelectorAll('#cases tbody tr').length"
        fill = "const one = document.querySelector(`[aria-label='${arguments[0]}']`); one.value = arguments[1]; (one.oninput ?? one.onchange)()"
        with Served(world.serve, SHOP, "--journal", journal) as served:
            for number in range(9):
                served.ask(f"cases/o-{number}", {})
                if number % 3:
                    served.dispatch("place", {"cents": 100 * number}, f"o-{number}")
            world.browser.open(served.address)
            world.browser.wait(f"{rows} === 9")
            world.browser.run(fill, "Only those whose state has", "cents >= 500")
            world.browser.wait(f"{rows} === 3")
            world.browser.run(fill, "Only those whose state has", "")
            world.browser.wait("return [...document.querySelectorAll('.counts .chip')].some(each => each.innerText.replace(/\\s+/g, ' ').includes('open.waiting 6'))")
            world.browser.run("[...document.querySelectorAll('.counts button')].find(each => each.innerText.includes('open.waiting')).click()")
            world.browser.wait(f"{rows} === 6")
            if world.shots:
                world.browser.photograph(os.path.join(world.shots, "cases-filtered.png"))
            world.browser.run(fill, "from", "2200-01-01T00:00")
            world.browser.wait(f"{rows} === 0")
            world.browser.run(fill, "from", "")
            world.browser.wait(f"{rows} === 6")
            world.browser.run("[...document.querySelectorAll('#cases tbody input')].slice(0, 2).forEach(each => each.click())")
            world.browser.run("[...document.querySelectorAll('.many button')].find(each => each.innerText.startsWith('End')).click()")
            text = world.browser.run("return document.querySelector('dialog[open]').innerText")
            expect("End 2 cases?" in text and "cannot be undone" in text, text)
            expect(served.ask("counts")["ended"] == 0, "nothing is ended before it is confirmed")
            if world.axe:
                axe.look(world.browser, world.axe)
            world.browser.run("document.querySelector('dialog[open] form button').click()")
            world.browser.wait("return document.querySelector('dialog[open]').innerText.includes('2 of 2 cases done')")
            expect(served.ask("counts")["ended"] == 2, served.ask("counts"))
            world.browser.run("document.querySelector('dialog[open] button').click()")
            world.browser.run("const one = document.querySelector(\"[aria-label='Only those in a state']\"); one.value = ''; one.onchange()")
            world.browser.run("[...document.querySelectorAll('.counts button')].find(each => each.innerText.includes('ended')).click()")
            world.browser.wait(f"{rows} === 2")
            silent(world.browser)
        with Served(world.serve, SHOP, "--journal", journal, "--read-only") as served:
            world.browser.open(served.address)
            world.browser.wait(f"{rows} > 0")
            expect(world.browser.run("return document.querySelectorAll('#cases input[type=checkbox]').length") == 0, "nothing is chosen")


@test
def on_a_phone_one_panel_is_shown_and_nothing_is_cut_off(world):
    with Served(world.serve, SHOP) as served:
        played(served)
        world.browser.resize(390, 844)
        try:
            opened(world.browser, served)
            for tab in ["timeline", "machines", "detail", "actions", "pending"]:
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
                for tab in ["timeline", "machines", "detail", "actions", "pending"] if width < 500 else [""]:
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
            for tab in ["timeline", "machines", "detail", "actions", "pending"] if width < 500 else [""]:
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
