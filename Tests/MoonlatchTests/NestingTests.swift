import LuaRuntime
import Testing

@testable import FlowHosting
@testable import FlowKernel
@testable import FlowLanguage

/// Values that are nested just below the limit, at it and above it, in every interface.
///
/// A table that stands alone is nested one deep; the state and a payload are tables themselves.
@Suite struct NestingTests {
  static let limits = [20, 100, 200]

  private static let flow = """
    state { a = map {}, empty = map {} }
    action.keep { value = any }
    action.build { tables = integer }
    action.move { tables = integer }
    action.break_ { tables = integer }
    action.raise { tables = integer }
    action.send { tables = integer }
    action.take { value = any }

    local function nested(tables)
      local value = "inside"
      for _ = 1, tables do value = { value } end
      return value
    end

    function reduce.keep(s, a) s.a.it = a.value end
    function reduce.build(s, a) s.a.it = nested(a.tables) end
    -- What was built before, one table further down.
    function reduce.move(s, a)
      local it = s.a.it
      s.a.it = nil
      s.a.it = map { it = it }
    end
    function reduce.break_(s, a)
      local it = s.a.it
      for _ = 2, a.tables do it = it[1] end
      it[1] = print
    end
    function reduce.raise(s, a) error(nested(a.tables)) end
    function effect.send(self, a) dispatch.take { value = nested(a.tables) } end
    function view.it(s) return nested(s.a.tables) end
    action.show { tables = integer }
    function reduce.show(s, a) s.a.tables = a.tables end
    """

  private static func nested(_ tables: Int) -> Value {
    var value: Value = "inside"
    for _ in 0..<tables { value = [value] }
    return value
  }

  private func trial(_ limit: Int, keepsTranscript: Bool = false) throws -> Trial {
    try Trial(NestingTests.flow, limits: Limits(nesting: limit), keepsTranscript: keepsTranscript)
  }

  private func sentence(_ limit: Int) -> String { "nested more than \(limit) deep" }

  @Test(
    "a payload is a table itself, so that its values may have one level less", arguments: limits)
  func payload(limit: Int) throws {
    let trial = try trial(limit)
    for tables in [limit - 2, limit - 1] {
      try trial.host.passing("take", ["value": NestingTests.nested(tables)])
    }
    for tables in [limit, limit + 1, 5 * limit] {
      let failure = try trial.host.failure(of: "take", ["value": NestingTests.nested(tables)])
      #expect(failure?.kind == .payload)
      #expect(failure?.message.contains(sentence(limit)) == true)
    }
  }

  @Test("an empty table counts as a level", arguments: limits)
  func emptyTable(limit: Int) throws {
    let trial = try trial(limit)
    var value: Value = []
    for _ in 1..<(limit - 1) { value = [value] }
    try trial.host.passing("take", ["value": value])
    #expect(
      try trial.host.failure(of: "take", ["value": [value]])?.message.contains(sentence(limit))
        == true)
  }

  @Test("a value in a declared payload counts from its own depth", arguments: limits)
  func declared(limit: Int) throws {
    let trial = try Trial(
      "state {}\naction.take { rows = list_of { value = any } }",
      limits: Limits(nesting: limit))
    func payload(_ tables: Int) -> Value {
      ["rows": [["value": 1], ["value": NestingTests.nested(tables)]]]
    }
    try trial.host.passing("take", payload(limit - 3))
    let failure = try trial.host.failure(of: "take", payload(limit - 2))
    #expect(failure?.message.contains("rows[2].value must be plain data") == true)
    #expect(failure?.message.contains(sentence(limit)) == true)
  }

  @Test("a limit out of range counts as the nearest valid one", arguments: [-1, 5, 1000])
  func clamped(limit: Int) throws {
    let nearest = limit < 100 ? 20 : 200
    let trial = try trial(limit)
    try trial.host.passing("take", ["value": NestingTests.nested(nearest - 1)])
    #expect(
      try trial.host.failure(of: "take", ["value": NestingTests.nested(nearest)])?.message
        .contains(sentence(nearest)) == true)
    try trial.host.passing("build", ["tables": .integer(nearest - 2)])
    #expect(
      try trial.host.failure(of: "build", ["tables": .integer(nearest - 1)])?.message
        .contains(sentence(nearest)) == true)
  }

  @Test(
    "the initial state may be as deep as the limit, and can be read completely", arguments: limits)
  func state(limit: Int) throws {
    func flow(_ tables: Int) -> String {
      """
      local it = "inside"
      for _ = 1, \(tables) do it = { it } end
      state { it = it }
      """
    }
    for tables in [limit - 2, limit - 1] {
      let host = try Trial(flow(tables), limits: Limits(nesting: limit)).host
      #expect(try host.state()["it"] == NestingTests.nested(tables))
    }
    for tables in [limit, limit + 1] {
      #expect {
        try Trial(flow(tables), limits: Limits(nesting: limit))
      } throws: { "\($0)".contains(sentence(limit)) }
    }
  }

  @Test(
    "a value that a reducer writes is limited, and its patch, undo and redo work at the limit",
    arguments: limits)
  func reducer(limit: Int) throws {
    let trial = try trial(limit)
    let host = trial.host
    for tables in [limit - 3, limit - 2] {
      for (action, payload) in [
        ("keep", ["value": NestingTests.nested(tables)] as Value),
        ("build", ["tables": .integer(tables)]),
      ] {
        let before = try host.state()
        let commit = try #require(try host.passing(action, payload))
        let after = try host.state()
        #expect(after["a"]?["it"] == NestingTests.nested(tables))
        #expect(commit.writes.changes.last?.new == NestingTests.nested(tables))
        try host.undo()
        #expect(try host.state() == before)
        try host.redo()
        #expect(try host.state() == after)
      }
    }
    let kept = try host.state()
    for tables in [limit - 1, limit, 3 * limit] {
      let failure = try host.failure(of: "build", ["tables": .integer(tables)])
      #expect(failure?.message.contains(sentence(limit)) == true)
      #expect(try host.state() == kept)
    }
    #expect(
      try host.failure(of: "keep", ["value": NestingTests.nested(limit - 1)])?.message
        .contains(sentence(limit)) == true)
  }

  @Test("a value that a reducer moves deeper is limited", arguments: limits)
  func moved(limit: Int) throws {
    let host = try trial(limit).host
    try host.passing("build", ["tables": .integer(limit - 4)])
    for _ in 0..<2 { try host.passing("move", ["tables": 0]) }
    let kept = try host.state()
    let failure = try host.failure(of: "move", ["tables": 0])
    #expect(failure?.message.contains(sentence(limit)) == true)
    #expect(try host.state() == kept)
    try host.undo(2)
    #expect(try host.state()["a"]?["it"] == NestingTests.nested(limit - 4))
    try host.redo(2)
    #expect(try host.state() == kept)
  }

  @Test("a message names the complete path of a value at the maximum depth", arguments: limits)
  func path(limit: Int) throws {
    let host = try trial(limit).host
    let tables = limit - 2
    try host.passing("build", ["tables": .integer(tables)])
    let failure = try host.failure(of: "break_", ["tables": .integer(tables)])
    #expect(
      failure?.message
        == "state.a.it\(String(repeating: "[1]", count: tables)): a function is not plain data")
  }

  @Test("a given state is limited", arguments: limits)
  func given(limit: Int) throws {
    let engine = try Engine(
      LoadedFlow(source: NestingTests.flow, limits: Limits(nesting: limit)),
      limits: Limits(nesting: limit), log: ScriptLog { _ in })
    for tables in [limit - 3, limit - 2] {
      #expect(engine.merge(["a": ["it": NestingTests.nested(tables)]]) == nil)
      #expect(try engine.state()["a"]?["it"] == NestingTests.nested(tables))
    }
    let kept = try engine.state()
    for tables in [limit - 1, limit, limit + 1] {
      let failure = engine.merge(["a": ["it": NestingTests.nested(tables)]])
      #expect(failure?.message.contains(sentence(limit)) == true)
      #expect(try engine.state() == kept)
    }
  }

  @Test("a value that a native reducer writes is limited", arguments: limits)
  func native(limit: Int) throws {
    var options = HostOptions(limits: Limits(nesting: limit), clock: .virtual)
    options.addReducer(for: "keep") { state, action in
      try state.set(["a", "it"], to: NestingTests.nested(limit - 2))
    }
    options.addReducer(for: "take") { state, action in
      try state.set(["a", "it"], to: NestingTests.nested(limit - 1))
    }
    let host = try FlowHost(source: NestingTests.flow, options: options)
    try host.passing("keep", ["value": 1])
    #expect(try host.state()["a"]?["it"] == NestingTests.nested(limit - 2))
    #expect(
      try host.failure(of: "take", ["value": 1])?.message.contains(sentence(limit)) == true)
  }

  @Test("a reload of a state at the limit keeps or replays it", arguments: limits)
  func reload(limit: Int) throws {
    let trial = try trial(limit, keepsTranscript: true)
    try trial.host.passing("keep", ["value": NestingTests.nested(limit - 2)])
    let kept = try trial.host.state()
    for mode in [FlowHost.Reload.keep, .replay] {
      #expect(try trial.host.reload(mode) == nil)
      #expect(try trial.host.state() == kept)
    }
    let transcript = try #require(try trial.host.transcript)
    #expect(try Transcript(text: transcript.text).text == transcript.text)
  }

  @Test("the value of a view is limited", arguments: limits)
  func view(limit: Int) throws {
    let host = try trial(limit).host
    for tables in [limit - 1, limit] {
      try host.passing("show", ["tables": .integer(tables)])
      #expect(try host.view("it") == NestingTests.nested(tables))
    }
    try host.passing("show", ["tables": .integer(limit + 1)])
    #expect { try host.view("it") } throws: { "\($0)".contains(sentence(limit)) }
  }

  @Test(
    "a raised table within the limit is in the failure, and a deeper one is only mentioned",
    arguments: limits)
  func raised(limit: Int) throws {
    let host = try trial(limit).host
    for tables in [limit - 1, limit] {
      let failure = try host.failure(of: "raise", ["tables": .integer(tables)])
      #expect(failure?.script?.value == NestingTests.nested(tables))
    }
    let failure = try host.failure(of: "raise", ["tables": .integer(limit + 1)])
    #expect(failure?.message == "a table was raised as an error")
    #expect(failure?.script?.value == nil)
  }

  @Test("the payload that an effect dispatches is limited", arguments: limits)
  func effect(limit: Int) throws {
    let trial = try trial(limit)
    for tables in [limit - 2, limit - 1] {
      let revision = try trial.host.revision
      try trial.play("send", ["tables": .integer(tables)])
      #expect(try trial.host.revision == revision + 2)
    }
    #expect(trial.told().isEmpty)
    try trial.play("send", ["tables": .integer(limit)])
    #expect(trial.told().first?.contains(sentence(limit)) == true)
  }

  /// The limits on nesting and the stack sizes that `LimitsAndSecurity.md` promises.
  static let stacks = [(limit: 100, bytes: LeastStack.bytes), (200, 512 << 10)]

  @Test(
    "nested calls and values at the limit work on a thread with the smallest supported stack",
    arguments: stacks
  )
  func leastStack(limit: Int, bytes: Int) throws {
    let told = try LeastStack.run(bytes: bytes) {
      let trial = try Trial(
        """
        state { a = map {} }
        action.keep { value = any }
        action.dive {}
        function reduce.keep(s, a) s.a.it = a.value end
        function effect.dive()
          local value = "inside"
          for _ = 1, \(limit - 2) do value = { it = value } end
          local function dive()
            dispatch.keep { value = value }
            return (("x"):gsub("x", dive))
          end
          dive()
        end
        function view.it(s) return { it = s.a.it } end
        """, limits: Limits(nesting: limit), keepsTranscript: true)
      try trial.play("dive")
      try trial.host.undo()
      try trial.host.redo()
      let state = try trial.host.state()
      guard try trial.host.reload(.replay) == nil, try trial.host.state() == state,
        try trial.host.view("it")["it"] == state["a"]?["it"]
      else { return ["the state is another"] }
      return trial.told()
    }
    #expect(!told.isEmpty && told.allSatisfy { $0.hasSuffix("C stack overflow") })
  }
}
