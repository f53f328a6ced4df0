import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// `in_state`, which tests if a named state of a machine is active.
@Suite struct InStateTests {
  private static let player =
    ExampleMachines.player.replacing("state {}", with: "state { n = 0, asked = \"player\" }") + "\n"
      + """
      action.count {} action.probe {} action.ask { name = any }
      machine.lamp { parallel = { "red", "green" }, red = {}, green = { parallel = { "left", "right" },
        left = { initial = "dark", dark = { probe = "lit" }, lit = {} }, right = {} } }
      function reduce.count(s) s.n = s.n + 1 end
      function reduce.ask(s, a) s.asked = tostring(in_state(s, a.name)) end
      """

  /// Returns the answer of `in_state` for each name, or its error.
  private func answers(_ trial: Trial, _ names: [String]) throws -> [String: String] {
    var found: [String: String] = [:]
    for name in names {
      let said = try trial.play("ask", ["name": .string(name)])
      found[name] =
        said.contains("flow.lua") ? said : try trial.state("asked").stringValue
    }
    return found
  }

  @Test("in_state accepts an active state and each of its ancestors, from a machine or a region")
  func active() throws {
    let trial = try Trial(Self.player)
    let names = [
      "player", "player.off", "player.on", "transport", "transport.playing",
      "player.on.transport.playing", "player.on.transport.playing.fast", "transport.playing.fast",
      "sound.muted", "player.on.sound", "lamp", "lamp.red", "green", "lamp.green.left.dark",
      "left.lit",
    ]
    let always: Set = ["player", "lamp", "lamp.red", "green", "lamp.green.left.dark"]
    #expect(
      try answers(trial, names).filter { $1 == "true" }.map(\.key).sorted()
        == (always.union(["player.off"])).sorted())
    for action in ["power", "play", "faster", "mute"] { try trial.play(action) }
    let playing = try answers(trial, names)
    #expect(playing.filter { $1 == "false" }.map(\.key).sorted() == ["left.lit", "player.off"])
    for action in ["pause", "probe"] { try trial.play(action) }
    #expect(
      try answers(trial, names).filter { $1 == "false" }.map(\.key).sorted() == [
        "lamp.green.left.dark", "player.off", "player.on.transport.playing",
        "player.on.transport.playing.fast", "transport.playing", "transport.playing.fast",
      ])
  }

  @Test("a state whose name is a prefix of another's is not its ancestor")
  func prefixes() throws {
    let trial = try Trial(
      """
      state {} action.go {}
      machine.m { initial = "onward", on = { go = "onward", initial = "ly", ly = {} }, onward = { go = "on" } }
      function view.there(s) return { in_state(s, "m.on"), in_state(s, "m.onward"), in_state(s, "m.on.ly") } end
      """)
    #expect(try trial.host.view("there") == [false, true, false] as Value)
    try trial.play("go")
    #expect(try trial.host.view("there") == [true, false, true] as Value)
  }

  @Test("an unknown state name is an error with a suggestion")
  func unknown() throws {
    let trial = try Trial(Self.player)
    func told(_ name: Value) throws -> String {
      try trial.play("ask", ["name": name])
    }
    for (name, message) in [
      ("plyer.on", "there is no machine or region \"plyer.on\""),
      ("plyer", "there is no machine or region \"plyer\"; did you mean player?"),
      ("player.onn", "there is no state \"player.onn\"; did you mean player.on?"),
      (
        "player.playing",
        "there is no state \"player.playing\"; did you mean player.on.transport.playing?"
      ),
      ("transport.playing.slow", "there is no state \"transport.playing.slow\""),
      ("transport.on", "there is no state \"transport.on\""),
      ("player.", "there is no state \"player.\""), ("", "there is no machine or region \"\""),
      ("n", "there is no machine or region \"n\""),
    ] {
      #expect(try told(.string(name)) == "flow.lua:25: \(message)", "\(name)")
    }
    for name in [1, true, [:], [1]] as [Value] {
      #expect(
        try told(name)
          == "flow.lua:25: in_state takes the state and the name of a state: in_state(s, \"door.open\")"
      )
    }
    #expect(try answers(trial, ["player.off"]) == ["player.off": "true"])
  }

  @Test(
    "in_state takes only the state",
    arguments: [
      "nil, \"m.a\"", "{}, \"m.a\"", "s.inner, \"m.a\"", "a, \"m.a\"", "\"m.a\"", "s", "",
    ])
  func others(_ arguments: String) throws {
    let trial = try Trial(
      """
      state { inner = { x = 1 } } action.go {} machine.m { initial = "a", a = {} }
      function view.v(s) return s.inner.x end
      function reduce.go(s, a) in_state(\(arguments)) end
      """)
    #expect(
      try trial.play("go")
        == "flow.lua:3: in_state takes the state and the name of a state: in_state(s, \"door.open\")"
    )
  }

  @Test(
    "gates, guards, reducers, invariants and scope keys call in_state on the state that they see")
  func everywhere() throws {
    let trial = try Trial(
      """
      state { seen = list {} } action.go {} action.stay {} action.leave {}
      scope.inside { key = function(s) return in_state(s, "m.b") end, actions = { "leave" } }
      local function note(s, where) s.seen[#s.seen + 1] = where .. tostring(in_state(s, "m.b")) end
      machine.m { initial = "a",
        a = { go = { to = "b.c", when = function(s) return not in_state(s, "m.b"), "is there" end,
          reduce = function(s) note(s, "way ") end }, on_exit = function(s) note(s, "exit ") end },
        b = { initial = "c", c = { stay = true }, on_enter = function(s) note(s, "enter ") end, leave = "a" } }
      function gate.stay(s) return in_state(s, "m.b.c"), "not in c" end
      function reduce.go(s) note(s, "reduce ") end
      function invariant.one(s) return in_state(s, "m.a") ~= in_state(s, "m.b") end
      """)
    #expect(
      try trial.play("leave") == "refused by scope inside: it is locked: scope inside needs its key"
    )
    try trial.play("go")
    #expect(
      try trial.state("seen") == ["exit false", "reduce true", "way true", "enter true"])
    try trial.play("stay")
    try trial.play("leave")
    #expect(
      try trial.play("stay") == "refused by machine m: stay is not possible in a (possible in: b.c)"
    )
  }

  @Test("a view that calls in_state is recomputed only if the field that it read changes")
  func views() throws {
    let trial = try Trial(
      Self.player + """

        function view.is_playing(s) print "asked" return in_state(s, "player.on.transport.playing") end
        """)
    func seen() throws -> String {
      let value: Value = try trial.host.view("is_playing")
      return "\(value) \(trial.printed.take().count)"
    }
    #expect(try seen() == "false 1")
    for action in ["count", "probe"] { try trial.play(action) }
    #expect(try seen() == "false 0")
    for action in ["power", "mute"] { try trial.play(action) }
    #expect(try seen() == "false 1")
    try trial.play("mute")
    #expect(try seen() == "false 0")
    for action in ["play", "count"] { try trial.play(action) }
    #expect(try seen() == "true 1")
    try trial.play("faster")
    #expect(try seen() == "true 1")
    try trial.host.undo(1)
    #expect(try seen() == "true 1")
    try trial.play("power")
    #expect(try seen() == "false 1")
  }

  @Test("in_state costs the same on every call, and in every cloned host")
  func costs() throws {
    let flow = try LoadedFlow(source: Self.player)
    var used: [[Int]] = []
    for _ in 1...4 {
      let host = try FlowHost(flow, options: HostOptions(clock: .virtual))
      used.append(
        try (1...3).map { _ in
          let before = try host.instructionsUsed
          try host.dispatch("ask", ["name": "player.on.transport.playing.fast"])
          return try host.instructionsUsed - before
        })
    }
    #expect(Set(used).count == 1)
    #expect(Set(used.flatMap { $0.dropFirst() }).count == 1)
    #expect(used[0][0] - used[0][1] < 5, "\(used)")
  }

  @Test("a flow's own in_state takes precedence")
  func own() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.go {} machine.m { initial = "a", a = {} }
      function in_state(s, name) return "own " .. name end
      function view.v(s) return in_state(s, "x") end
      """)
    #expect(try trial.host.view("v") == "own x" as Value)
  }

  @Test("3,000 calls of in_state in a chart of 3,000 states stay within the limits")
  func wide() throws {
    let states = (1...3_000).map { "s\($0) = { go = \"s\($0 % 3_000 + 1)\" }" }.joined(
      separator: ", ")
    let trial = try Trial(
      """
      state { n = 0 } action.go {} action.ask {}
      machine.m { initial = "s1", \(states) }
      function reduce.ask(s) for i = 1, 3000 do if in_state(s, "m.s" .. i) then s.n = i end end end
      """)
    for _ in 1...5 { try trial.play("go") }
    try trial.play("ask")
    #expect(try trial.state("n") == 6)
  }
}
