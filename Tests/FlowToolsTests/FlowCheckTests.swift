import FlowKernel
import Foundation
import Testing

@testable import FlowTools

/// Findings in a flow that loads.
@Suite struct FlowCheckTests {
  private func findings(
    _ source: String, views: Set<String>? = nil, unread: Bool = true
  ) throws -> [String] {
    let loaded = try LoadedFlow(source: source, name: "f.lua")
    let check = FlowCheck(
      text: FlowText(loaded), viewsReadOutside: views, reportsUnread: unread)
    return try check.findings().map(\.description).sorted()
  }

  @Test("unread views and fields are reported on request only")
  func unreadOnRequest() throws {
    let flow = "state { a = 0 }\nfunction view.one() return 1 end"
    #expect(try findings(flow, views: [], unread: false) == [])
    #expect(try findings(flow, views: []).count == 2)
  }

  @Test("a flow in which everything is used has no findings")
  func clean() throws {
    #expect(
      try findings(
        """
        state { n = 0 }
        action.add { by = integer }
        function gate.add(s, a) return a.by > s.n, "more" end
        function reduce.add(s, a) s.n = s.n + a.by end
        """) == [])
  }

  @Test("an action without any effect on the flow is idle")
  func idle() throws {
    #expect(
      try findings(
        "state { n = 0 }\naction.a {}\naction.b {}\nfunction gate.b(s) return s.n == 0 end\n")
        == [
          "f.lua:2: warning: action a: nothing gates it and nothing happens when it passes "
            + "(no reducer, machine, gatekeeper or effect) [idle-action]",
          "f.lua:3: warning: action b: nothing happens when it passes "
            + "(no reducer, machine, gatekeeper or effect) [idle-action]",
        ])
    #expect(try findings("action.a {}\neffect(\"log\", \"*\", function() end)\n") == [])
  }

  @Test("a state without incoming transitions is unreachable, and its actions can never pass")
  func unreachable() throws {
    #expect(
      try findings(
        """
        action.go {}
        action.back {}
        action.on {}
        machine.m {
          initial = "a",
          a = { go = { { to = "b" }, { to = "c" } } },
          b = { back = "a" },
          c = { on = "a" },
        }
        function gate.on(s) return s ~= nil end
        gate("both", { "on", "go" }, function(s) return s ~= nil end)
        """)
        == [
          "f.lua:10: warning: gate on is never evaluated: none of its actions gets that far "
            + "[unasked-gate]",
          "f.lua:3: warning: action on can never pass: machine m takes it only in c, which it "
            + "never reaches [impossible-action]",
          "f.lua:6: warning: machine m: a.go never tries c, because b comes before it without a "
            + "condition [untried-target]",
          "f.lua:8: warning: machine m: no transition leads to c from a [unreachable-state]",
        ])
  }

  @Test("an action that one machine never takes leads nowhere in another machine")
  func twoMachines() throws {
    let found = try findings(
      """
      action.go {}
      action.on {}
      machine.one { initial = "a", a = { go = "b" }, b = { final = true } }
      machine.two { initial = "x", x = { on = { "x", "y" } }, y = { go = "x" } }
      """)
    #expect(found.contains { $0.contains("machine one: no transition leads to b from a") })
    #expect(found.contains { $0.contains("machine one: no transition leaves a") })
    #expect(found.contains { $0.contains("machine two: no transition leads to y from x") })
    #expect(found.contains { $0.contains("action go can never pass") })
    #expect(found.contains { $0.contains("machine two: x.on never tries y") })
    #expect(found.count == 5)
  }

  @Test("a state without outgoing transitions is final or a dead end")
  func deadEnd() throws {
    let flow = "action.go {}\nmachine.m { initial = \"a\", a = { go = \"b\" }, b = { } }"
    #expect(
      try findings(flow) == [
        "f.lua:2: warning: machine m: no transition leaves b; write final = true if that is intended "
          + "[dead-end]"
      ])
    #expect(try findings(flow.replacingOccurrences(of: "{ }", with: "{ final = true }")) == [])
    #expect(try findings(flow.replacingOccurrences(of: "{ }", with: "{ go = \"b\" }")) == [])
  }

  @Test("a target after one without a guard is never tried")
  func untried() throws {
    #expect(
      try findings(
        """
        action.go {}
        machine.m { initial = "a", a = { go = { { to = "a" }, { to = "b" } } }, b = { go = "a" } }
        """)
        == [
          "f.lua:2: warning: machine m: a.go never tries b, because a comes before it without a "
            + "condition [untried-target]",
          "f.lua:2: warning: machine m: no transition leads to b from a [unreachable-state]",
        ])
  }

  @Test("a scope is active only if something sets its key")
  func scopes() throws {
    func flow(_ write: String) -> String {
      """
      state { user = none }
      action.log_in {}
      action.rename {}
      function reduce.log_in(s) \(write) end
      function reduce.rename(s) s.user = s.user end
      scope.user { key = function(s) return s.user end, actions = { "rename" } }
      scope.inner { parent = "user", key = function(s) return s.user end }
      """
    }
    #expect(try findings(flow("s.user = { id = 1 }")) == [])
    let never = flow("s.user = nil").replacingOccurrences(of: "s.user = s.user", with: "return")
    #expect(
      try findings(never) == [
        "f.lua:3: warning: action rename can never pass: its scope user never opens "
          + "[impossible-action]",
        "f.lua:6: warning: scope user never opens: its key reads s.user, which nothing sets "
          + "[locked-scope]",
      ])
  }

  @Test("a scope whose key is initial, computed or written by name is not reported")
  func unjudgedScopes() throws {
    for (initial, key, write) in [
      ("1", "s.user", "return"), ("none", "lookup(s)", "return"), ("none", "s.user", "s[a.f] = 1"),
      ("none", "s.user", "put(s)"),
    ] {
      let found = try findings(
        """
        state { user = \(initial), other = none }
        action.set { f = string }
        local function lookup(s) return s.other end
        local function put(t) t.user = 1 end
        function reduce.set(s, a) \(write) end
        scope.user { key = function(s) return \(key) end }
        view.other = lookup
        """)
      #expect(!found.contains { $0.contains("never opens") }, "\(initial) \(key) \(write)")
    }
  }

  @Test("a field that nothing reads is reported with its line")
  func unreadField() throws {
    let flow = """
      state {
        a = 0,
        b = { c = 0 },
        d = list {},
      }
      action.go { d = integer }
      function reduce.go(s, a)
        s.a = a.d
        s.b.c = 1
        table.insert(s.d, a.d)
      end
      """
    #expect(
      try findings(flow) == [
        "f.lua:2: warning: state.a is read by no rule, reducer, view or invariant [unread-field]"
      ])
    #expect(try findings(flow + "\nfunction view.a(s) return s.a end") == [])
    #expect(
      try findings(
        flow.replacingOccurrences(of: "a = 0,", with: "a = 0, -- check: allow unread-field")) == [])
  }

  @Test(
    "no field counts as unread if the whole state is passed on",
    arguments: [
      "function view.v(s) return s end", "function view.v(s) for k in pairs(s) do end return 1 end",
      "function view.v(s) return s[\"a\" .. \"\"] end",
      "function view.v(s) local t = s; return t end",
      "local function h(t, u) return u end function view.v(s) return h(1, s) end",
    ])
  func escaping(view: String) throws {
    #expect(
      try findings("state { a = 0 }\naction.x {}\nfunction reduce.x(s) s.a = 1 end\n" + view) == [])
  }

  /// Each is linear: squared they would not end.
  @Test(
    "flows of two thousand states, actions, views and scopes are checked and drawn",
    arguments: 0..<5)
  func large(kind: Int) throws {
    let numbers = 0..<2_000
    func each(_ text: (Int) -> String) -> String { numbers.map(text).joined(separator: "\n") }
    let flow =
      switch kind {
      case 0:
        "action.go {}\nmachine.m { initial = \"s0\",\n"
          + each { "s\($0) = { go = \"s\($0 + 1)\" }," }
          + "s\(numbers.count) = { final = true } }"
      case 1:
        each { "action.a\($0) {}" } + "\nmachine.m { initial = \"s0\",\n"
          + each { "s\($0) = { a\($0) = \"s\($0 + 1)\" }," }
          + "s\(numbers.count) = { final = true } }"
      case 2:
        each {
          "action.a\($0) {} function reduce.a\($0)(s) s.n = 1 end "
            + "function gate.a\($0)(s) return s.n < 2 end"
        }
      case 3: "action.a {} " + each { "function view.v\($0)(s) return s.n end" }
      default:
        "action.a {} " + each { "scope.u\($0) { key = function(s) return s.n end }" }
      }
    let loaded = try LoadedFlow(source: "state { n = 0 }\n" + flow)
    let text = FlowText(loaded)
    #expect(try FlowCheck(text: text, viewsReadOutside: nil).findings().count < 10)
    let drawing = FlowDrawing(text)
    #expect(!DOTWriter.text(drawing).isEmpty)
    #expect(!MermaidWriter.text(drawing).isEmpty)
  }

  @Test("a helper function that gets the state is analyzed")
  func helpers() throws {
    let flow = """
      state { a = 0, b = 0 }
      action.x {}
      local function next_to(t) return t.b end
      local function helper(n, t) t.a = n return next_to(t) end
      function reduce.x(s) helper(1, s) end
      """
    #expect(
      try findings(flow) == [
        "f.lua:1: warning: state.a is read by no rule, reducer, view or invariant [unread-field]"
      ])
  }

  @Test("undeclared names are errors, with the nearest name")
  func names() throws {
    #expect(
      try findings(
        """
        action.load {}
        action.loaded {}
        gatekeeper.busy { load = "attempt", loaded = "reset" }
        view.items = function() return 1 end
        function effect.load(self)
          dispatch.laoded()
          dispatch("loadet", {})
          after(1, "loaaded")
          cancel("lod")
          if may.laod() and view.itmes() then dispatch("load") end
          if gatekeeper.bsy:may_pass() then dispatch(view.items()) end
        end
        """)
        == [
          "f.lua:10: error: may: there is no action laod; did you mean load?",
          "f.lua:10: error: view: there is no view itmes; did you mean items?",
          "f.lua:11: error: gatekeeper: there is no gatekeeper bsy; did you mean busy?",
          "f.lua:6: error: dispatch: there is no action laoded; did you mean loaded?",
          "f.lua:7: error: dispatch: there is no action loadet; did you mean loaded?",
          "f.lua:8: error: after: there is no action loaaded; did you mean loaded?",
          "f.lua:9: error: cancel: there is no action lod; did you mean load?",
        ])
  }

  @Test("a local that shadows a name of the flow language is not checked as that name")
  func shadowed() throws {
    #expect(
      try findings(
        "action.a {}\nlocal dispatch = { b = function() end }\n"
          + "function effect.a() dispatch.b() end") == [])
  }

  @Test("a view that neither the flow nor a scenario reads is reported if scenarios are known")
  func views() throws {
    let flow = "state { n = 0 }\nfunction view.n(s) return s.n end"
    #expect(try findings(flow) == [])
    #expect(try findings(flow, views: ["n"]) == [])
    #expect(
      try findings(flow, views: []) == [
        "f.lua:2: warning: view n is read by no effect, factory or scenario here; "
          + "only a host can read it [unread-view]"
      ])
  }

  @Test("a local of the file that a reducer changes is reported, and its own locals are not")
  func changedLocals() throws {
    #expect(
      try findings(
        """
        local count, last = 0, nil print(last)
        action.a {}
        function reduce.a(s, a)
          local last = 1
          last = last + 2
          for i = 1, 2 do i = i + 1 end
          count = count + 1
        end
        """)
        == [
          "f.lua:7: warning: count is a local of the file, and is changed here: no rollback, "
            + "replay or snapshot restores it; store it in the state [changed-local]"
        ])
  }

  @Test("functions and globals named like newer words are reported, and other locals are not")
  func ownWords() throws {
    #expect(
      try findings(
        """
        state { n = 0 }
        action.a {}
        local function in_state(s, x) return s.n == x end
        local date = function(n) return n end
        all = { 1, 2 }
        function race() end race()
        local born, internal = 1, {} print(born, internal)
        function reduce.a(s, born)
          local race = {}
          if in_state(s, 1) then s.n = date(1) + #race + #all end
        end
        """)
        == [("in_state", 3), ("date", 4), ("all", 5), ("race", 6)].map { word, line in
          "f.lua:\(line): warning: \(word) hides the word of the flow language here: rename it "
            + "to use both [own-word]"
        })
  }

  @Test("an internal action that nothing dispatches is reported, unless a name is computed")
  func unsent() throws {
    let flow = """
      state { n = 0 }
      internal.sent {} internal.later {} internal.timed {} internal.ended {}
      internal.lost {}
      action.go {}
      machine.m { initial = "a", a = { after = { timed = 1 }, timed = "b" }, b = { go = "a" } }
      for _, name in ipairs { "sent", "later", "ended", "lost" } do
        reduce[name] = function(s) s.n = s.n + 1 end
      end
      effect("e", { "go" }, { on_done = "ended", run = function()
        dispatch.sent()
        after(1, "later")
      end })
      """
    #expect(
      try findings(flow) == [
        "f.lua:3: warning: action lost is internal, but no effect or timer here dispatches it "
          + "[unsent-action]"
      ])
    #expect(try findings(flow + "\nfunction effect.sent() dispatch(\"lo\" .. \"st\") end") == [])
    #expect(try findings(flow + "\nfunction effect.sent() dispatch(\"lost\") end") == [])
  }

  @Test(
    """
    `check` adds unreachable states, states without a way out that are not `final`, and the rest of \
    its analysis.
    """)
  func adds() throws {
    let found = try findings(
      """
      state { n = 0, unread = 1 }
      action.go {}
      action.idle {}
      action.bar {}
      machine.m {
        initial = "a",
        a = { go = { { to = "b" }, { to = "c" } } },
        b = {},
        c = { bar = "a" },
      }
      machine.other { initial = "p", p = { go = "q" }, q = { final = true } }
      function reduce.go(s) s.n = s.n + 1 end
      """)
    func isFound(_ part: String) -> Bool { found.contains { $0.contains(part) } }
    #expect(isFound("machine m: no transition leaves b; write final = true if that is intended"))
    #expect(isFound("action idle: nothing gates it and nothing happens"))
    #expect(isFound("unread"))
    #expect(isFound("machine m: no transition leads to c from a"))
    #expect(!isFound("no transition leaves q"))
  }

  @Test("a collection with a machine per record counts as read")
  func records() throws {
    let machine = #"machine.m { each = "ends", which = "id", initial = "a", a = { up = "a" } }"#
    let found = try findings(
      "state { ends = map {}, other = map {} } action.up { id = string }\n" + machine)
    #expect(found.contains { $0.contains("state.other is read by no") })
    #expect(!found.contains { $0.contains("state.ends") })
  }

  @Test("a name in `which` that no action of the machine declares as a field is reported")
  func unknownKeys() throws {
    let flow = """
      state { ends = map {} }
      action.up { name = string }
      machine.m {
        each = "ends",
        which = "nmae",
        initial = "a", a = { up = "b" }, b = { up = "a" },
      }
      """
    #expect(
      try findings(flow) == [
        "f.lua:5: warning: machine m: no action that it lists has the field nmae, so each is about all "
          + "records; did you mean name? [unknown-field]"
      ])
    #expect(try findings(flow.replacing("nmae", with: "name")) == [])
  }
}
