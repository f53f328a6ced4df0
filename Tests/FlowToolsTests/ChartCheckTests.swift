import FlowKernel
import FlowLanguage
import Testing

@testable import FlowTools

/// Findings in machines with nested states.
@Suite("Check of machines with nested states")
struct ChartCheckTests {
  /// The findings of a flow with these actions and this machine, which begins on line 2.
  private func findings(_ actions: String, _ machine: String) throws -> [String] {
    let declared = actions.split(separator: " ").map { "action.\($0) {}" }.joined(separator: " ")
    let loaded = try LoadedFlow(source: "\(declared)\n\(machine)\n", name: "f.lua")
    let text = FlowText(loaded)
    let reach = Reachability(text.flow)
    let lines = DeclarationLines(loaded.texts)
    return MachineCheck(flow: text.flow, reach: reach, lines: lines).findings.map(\.description)
  }

  @Test("the outermost unreachable states are reported, and history transitions count as entries")
  func unreachable() throws {
    #expect(
      try findings(
        "go back",
        """
        machine.m { initial = "a", a = { go = { to = "p", history = true }, back = true },
          p = { initial = "x", back = "a",
            x = {}, y = {}, z = { initial = "i", i = {} } } }
        """) == [
          "f.lua:4: warning: machine m: no transition leads to p.y, and it is not initial "
            + "[unreachable-state]",
          "f.lua:4: warning: machine m: no transition leads to p.z, and it is not initial "
            + "[unreachable-state]",
        ])
  }

  @Test("a history state of a document is reachable if a transition targets it, and else is not")
  func histories() throws {
    let document = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="null" initial="idle" name="m">
        <state id="idle"><transition event="back" target="last"/></state>
        <state id="work" initial="one">
          <history id="last"><transition target="one"/></history>
          <history id="other"><transition target="one"/></history>
          <state id="one"><transition event="pause" target="idle"/></state>
        </state>
      </scxml>
      """
    let text = FlowText(try LoadedFlow(source: document, name: "m.scxml"))
    let found = MachineCheck(
      flow: text.flow, reach: Reachability(text.flow), lines: DeclarationLines([])
    ).findings.map(\.description)
    #expect(
      found == [
        "m.scxml:5: warning: machine m: no transition leads to work.other, and it is not initial [unreachable-state]"
      ])
  }

  @Test("an action that a machine only refuses can never pass, and the finding says so")
  func refusedAlone() throws {
    #expect(
      try findings(
        "go stop",
        """
        machine.m { initial = "a", a = { go = "b", stop = { refuse = "no" } }, b = { go = "a" } }
        """) == [
          "f.lua:1: warning: action stop can never pass: machine m lists it only to refuse it [impossible-action]"
        ])
  }

  @Test("a transition of an ancestor leads out of a state, and one that stays does not")
  func deadEnds() throws {
    #expect(
      try findings(
        "go stay",
        """
        machine.m { initial = "a", a = { initial = "b", go = "c", b = {} },
          c = { stay = true } }
        """) == [
          "f.lua:3: warning: machine m: no transition leaves c; write final = true if that is intended "
            + "[dead-end]"
        ])
  }

  @Test("conflicting transitions of two regions are reported, with the one that is taken")
  func conflicts() throws {
    #expect(
      try findings(
        "reject again",
        """
        machine.document { initial = "review",
          review = { parallel = { "legal", "finance" },
            legal = { initial = "asked", asked = {
              reject = "draft" } },
            finance = { initial = "asked", asked = { reject = "draft" } } },
          draft = { again = "review" } }
        """) == [
          "f.lua:5: warning: machine document: reject can leave review from legal and from finance "
            + "at once; the transition of legal is taken [conflicting-transitions]"
        ])
  }

  @Test("a transition after one without a guard, or overridden in all substates, is never tried")
  func untried() throws {
    #expect(
      try findings(
        "go back",
        """
        machine.m { initial = "a",
          a = { initial = "x", back = "b",
            go = "b",
            x = { go = "y", back = { "y", "x" } }, y = { go = "x" } },
          b = { go = "a" } }
        """) == [
          "f.lua:4: warning: machine m: a.go is never tried, because every state inside a lists go "
            + "without a condition [untried-target]",
          "f.lua:5: warning: machine m: a.x.back never tries a.x, because a.y comes before it "
            + "without a condition [untried-target]",
        ])
  }

  @Test("an eventless transition that can never fire is reported with the reason")
  func neverDue() throws {
    #expect(
      try findings(
        "go",
        """
        local function f() return true end
        machine.m { initial = "p",
          p = { initial = "a", go = "q",
            always = "q",
            a = { always = { "b",
              { to = "q", when = f } } },
            b = { always = { to = "p", when = f } } },
          q = { go = "p" } }
        """) == [
          "f.lua:7: warning: machine m: p.a.always never takes q, because p.b comes before it "
            + "without a condition [never-due]",
          "f.lua:8: warning: machine m: p.b.always is never taken, because p is active already "
            + "[never-due]",
        ])
  }

  @Test(
    "a region's end without on_done, an idle history and a timer that nothing lists are reported")
  func ends() throws {
    #expect(
      try findings(
        "go finish back tick",
        """
        machine.m { initial = "off", off = { go = { to = "call", history = true } },
          call = { back = "off", parallel = { "line", "sound" },
            line = { initial = "up", up = { finish = "gone" },
              gone = { final = true } },
            sound = { initial = "loud", loud = { tick = "soft" },
              soft = { after = { finish = 5 }, tick = "loud" } } } }
        """) == [
          "f.lua:5: warning: machine m: gone finishes line, but call has no on_done [unheard-end]",
          "f.lua:2: warning: machine m: off.go: history = true has no effect on call, whose regions "
            + "are all entered anyway; write history = \"deep\" [idle-history]",
          "f.lua:7: warning: machine m: call.sound.soft.after.finish is always refused, since neither "
            + "call.sound.soft nor a state around or inside it lists finish [unheard-timer]",
        ])
  }

  @Test("a nested final state without on_done is reported if nothing else leads out")
  func nestedEnds() throws {
    #expect(
      try findings(
        "go",
        """
        machine.m { initial = "work",
          work = { initial = "doing", doing = { go = "finished" },
            finished = { final = true } } }
        """) == [
          "f.lua:4: warning: machine m: finished finishes work, but it has no on_done, and no "
            + "other transition leaves it: a case of this flow never ends [unheard-end]"
        ])
    #expect(
      try findings(
        "go back",
        """
        machine.m { initial = "work",
          work = { initial = "doing", back = "rest", doing = { go = "finished" },
            finished = { final = true } }, rest = { go = "work" } }
        """) == [])
  }

  @Test("an on_done of the outermost parallel state covers regions that are parallel themselves")
  func parallelRegions() throws {
    #expect(
      try findings(
        "one two back",
        """
        machine.m { initial = "outer", outer = { parallel = { "x", "y" }, on_done = "all",
          x = { parallel = { "x1", "x2" },
            x1 = { initial = "a", a = { one = "f" }, f = { final = true } },
            x2 = { initial = "g", g = { final = true } } },
          y = { initial = "b", b = { two = "h" }, h = { final = true } } },
          all = { back = "outer" } }
        """) == [])
  }

  @Test("a refusal that another region or state overrules is reported")
  func overruled() throws {
    let end =
      "; to refuse for both, check with when and in_state there, or make it a separate machine "
      + "[overruled-refusal]"
    #expect(
      try findings(
        "approve go",
        """
        machine.m { parallel = { "desk", "fraud" },
          desk = { initial = "open", open = { approve = "done" }, done = { go = "open" } },
          fraud = { initial = "suspect",
            suspect = { approve = { refuse = "fraud!" }, go = "clear" },
            clear = { go = "suspect" } } }
        """) == [
          "f.lua:5: warning: machine m: fraud.suspect.approve refuses only for its own region: desk.open "
            + "beside it still takes approve" + end
        ])
    #expect(
      try findings(
        "out go",
        """
        machine.m { initial = "p",
          p = { parallel = { "x", "y" }, out = "q",
            x = { initial = "x1", x1 = { go = true } },
            y = { initial = "y1", y1 = { go = true, out = { refuse = "not ready" } } } },
          q = { go = "p" } }
        """) == [
          "f.lua:5: warning: machine m: p.y.y1.out refuses only for its own region: p around it still takes out"
            + end
        ])
  }

  @Test("a timer of a flat machine that its state refuses is reported")
  func flatTimers() throws {
    #expect(
      try findings(
        "go back tick",
        """
        machine.m { initial = "a", a = { go = "b", after = { tick = 1 } },
          b = { back = "a", after = { go = 5 } } }
        function reduce.tick(s) end
        """) == [
          "f.lua:3: warning: machine m: b.after.go is always refused, since neither b nor a state "
            + "around or inside it lists go [unheard-timer]"
        ])
  }

  @Test("an action that only one state does not list is reported, unless it is set to false there")
  func missing() throws {
    func machine(_ more: String) -> String {
      """
      machine.m { initial = "a", a = { go = "b", stop = true }, b = { go = "c", stop = true },
        c = { go = "d"\(more) },
        d = { go = "a", stop = true } }
      """
    }
    #expect(
      try findings("go stop", machine("")) == [
        "f.lua:3: warning: machine m: c is the only state in m without stop; write stop = false if "
          + "that is intended [missing-transition]"
      ])
    #expect(try findings("go stop", machine(", stop = false")) == [])
    let inside = machine("").replacing(
      "d = { go = \"a\", stop = true }",
      with: "d = { go = \"a\", initial = \"x\", x = { stop = true } }")
    #expect(try findings("go stop", inside) == [])
  }

  @Test("two machines with nested states can exclude an action of each other")
  func sideBySide() throws {
    let found = try findings(
      "go up",
      """
      machine.one { initial = "a", a = { initial = "x", x = { go = "y" }, y = { up = "x" } } }
      machine.two { initial = "p", p = { up = "q" }, q = { go = "p" } }
      """)
    #expect(found.contains { $0.contains("machine one: no transition leads to a.y") })
    #expect(
      found.contains { $0.contains("action go can never pass: machine two takes it only in q") })
  }

  @Test("an action allowed without a record can pass, though each record refuses it")
  func without() throws {
    let machine = """
      machine.stage { each = "players", which = "id", %@initial = "a",
        a = { join = { refuse = "the name is taken" } } }
      state { players = map {} }
      """
    func isImpossible(_ without: String) throws -> Bool {
      try findings("join", machine.replacing("%@", with: without)).contains {
        $0.contains("action join can never pass")
      }
    }
    #expect(try !isImpossible("without = { join = true }, "))
    #expect(try isImpossible(""))
  }

  @Test("timed transitions count for reachability and against dead ends")
  func timed() throws {
    #expect(
      try findings(
        "go",
        """
        machine.m { initial = "a", a = { initial = "x", x = { after = { { 5, "y" } } },
          y = { every = { { 2, "b" } } } }, b = { go = "a" } }
        machine.n { initial = "a", a = { after = { { 5, "b" } } }, b = { every = { { 5, "a" } } } }
        """) == [])
  }
}
