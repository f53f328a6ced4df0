import CExplore
import Foundation
import LuaRuntime
import Testing

@testable import FlowExplore

/// Explorations with symmetry reduction, compared with explorations of all states.
@Suite("Symmetry reduction")
struct SymmetryTests {
  /// A lock with an owner and a queue: its symmetric values are in fields, in a list, and are keys.
  static let lock = """
    state { owner = "", queue = list {}, last = map {} }
    local WHO = one_of { "ann", "ben", "cy" }
    action.ask { who = WHO }
    action.free { who = WHO }
    function gate.ask(s, a)
      if s.owner == a.who then return false, a.who .. " has it" end
      for _, other in ipairs(s.queue) do if other == a.who then return false, "it waits" end end
      return true
    end
    function reduce.ask(s, a)
      if s.owner == "" then s.owner = a.who else s.queue[#s.queue + 1] = a.who end
    end
    function gate.free(s, a) return s.owner == a.who, "it has it not" end
    function reduce.free(s, a)
      s.last[a.who] = s.queue[1] or a.who
      s.owner = s.queue[1] or ""
      table.remove(s.queue, 1)
    end
    invariant.short = function(s) return #s.queue < 2 end
    """

  /// Records with machines, timers, an effect that is under way with its payload, and who knows whom.
  static let people = """
    state { people = map {}, knows = map {}, loud = 0 }
    local WHO = one_of { "ann", "ben" }
    action.come { who = WHO }
    action.wake { who = WHO }
    action.meet { who = WHO }
    internal.called { who = WHO }
    machine.person {
      each = "people", which = "who", field = "state", initial = "asleep",
      asleep = { wake = "awake" },
      awake = { after = { tired = 2 }, called = "gone", tired = "asleep" },
      gone = {},
    }
    internal.tired { who = WHO }
    function gate.come(s, a) return s.people[a.who] == nil, "it is there" end
    function reduce.come(s, a) s.people[a.who] = { times = 0 } end
    function gate.wake(s, a) return s.people[a.who] and s.people[a.who].times < 1, "too often" end
    function reduce.wake(s, a) s.people[a.who].times = s.people[a.who].times + 1 end
    function gate.meet(s, a) return s.loud < 1, "it is loud" end
    function reduce.meet(s, a)
      s.loud = s.loud + 1
      s.knows[a.who] = s.knows[a.who] or map {}
      for name, person in pairs(s.people) do
        if person.state == "awake" then s.knows[a.who][name] = true end
      end
    end
    effect.wake = function(self, a) sleep(1); dispatch.called { who = a.who } end
    """

  /// Numbers that go round by chance: lists with values as indices, a counter that is none of them.
  static let ring = """
    state { has = { 0, 0, 0 }, by = 1, total = 0 }
    action.give { to = integer { min = 1, max = 3 } }
    action.luck {}
    function gate.give(s, a) return s.total < 4 and s.by ~= a.to, "no" end
    function reduce.give(s, a) s.has[a.to] = s.has[a.to] + 1; s.total = s.total + 1; s.by = a.to end
    function gate.luck(s) return s.total < 4 end
    function reduce.luck(s) s.by = random(1, 3); s.total = s.total + 1 end
    invariant.even = function(s) return s.has[1] < 3 and s.has[2] < 3 and s.has[3] < 3 end
    """

  static let names = ["ann", "ben", "cy"].map { Value.string($0) }

  private func exploration(
    _ flow: String, _ options: String, _ body: String = ""
  ) throws -> Exploration {
    let explored = try Explored(flow, "explore(\"it\", { \(options) }, function() \(body) end)")
    return try #require(try explored.explorations().first)
  }

  /// Each state as a text in which these values are renamed, for each way to order them the same.
  private func forms(_ exploration: Exploration, _ rename: @escaping (Value, [Int]) -> Value) throws
    -> Set<String>
  {
    var forms: Set<String> = []
    var exploration = exploration
    exploration.finished = { states in
      let session = states.session
      for state in states.states {
        let (value, canonical) = session.values(of: state).withUnsafeBufferPointer {
          (session.value(of: $0), session.canonical($0))
        }
        forms.insert(
          SymmetryTests.orders.map { order in
            let timers = canonical.timers.map {
              "\($0.due) \($0.owner) \($0.action?.name ?? "") \($0.action?.payload ?? [:])"
            }.map { SymmetryTests.renamed($0, order) }
            let effects = canonical.effects.map { "\($0.title) \(rename($0.payload, order))" }
              .sorted()
            return "\(rename(value, order)) \(timers) \(effects)"
          }.min() ?? "")
      }
    }
    _ = try exploration.run()
    return forms
  }

  private static let orders = [
    [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
  ]

  /// The same text with the names in another order.
  private static func renamed(_ text: String, _ order: [Int]) -> String {
    var text = text
    for (index, name) in names.enumerated() {
      text = text.replacing(name.stringValue ?? "", with: "<\(order[index])>")
    }
    return text
  }

  /// Names are told apart wherever they stand.
  private static func renamed(_ value: Value, _ order: [Int]) -> Value {
    func named(_ text: String) -> String {
      names.firstIndex(of: .string(text)).map { names[order[$0]].stringValue ?? "" } ?? text
    }
    return switch value {
    case .string(let text): .string(named(text))
    case .list(let elements): .list(elements.map { renamed($0, order) })
    case .record(let fields):
      .record(
        Dictionary(
          fields.map { (named($0.key), renamed($0.value, order)) },
          uniquingKeysWith: { first, _ in first }))
    default: value
    }
  }

  /// The findings of an exploration, without the counts.
  private func told(_ report: ExplorationReport) -> [String] {
    ["depth \(report.depth)"] + report.findings.map { "\($0.name) \($0.steps.count)" }
      + report.holding + report.dead.map { String($0.prefix { $0 != "(" }) }
  }

  private func agrees(
    _ flow: String, _ options: String, _ alike: String,
    _ rename: @escaping (Value, [Int]) -> Value = SymmetryTests.renamed
  ) throws {
    let plain = try exploration(flow, options)
    let forms = try forms(plain, rename)
    let all = try plain.run()
    for jobs in [1, 3] {
      for hashes in [false, true] {
        var exploration = try exploration(
          flow, "\(options)\(options.isEmpty ? "" : ", ")alike = { \(alike) }")
        exploration.jobs = jobs
        exploration.bounds.hashes = hashes
        let report = try exploration.run()
        #expect(report.states == forms.count, "of \(all.states)")
        #expect(told(report) == told(all))
      }
    }
    #expect(forms.count < all.states)
  }

  @Test("symmetric values in owners, a queue and map keys are reduced to one representative")
  func lock() throws {
    try agrees(SymmetryTests.lock, "", "who = { \"ann\", \"ben\", \"cy\" }")
  }

  @Test("machines of records, timers, effects and nested keys are permuted with their records")
  func people() throws {
    try agrees(
      SymmetryTests.people, "effects = { at_most = 1 }", "who = { \"ann\", \"ben\" }")
    // Two effects at once, where nobody meets: with that there are many times as many states.
    let alone = SymmetryTests.people.replacing("return s.loud < 1,", with: "return false,")
    try agrees(alone, "effects = { at_most = 2 }", "who = { \"ann\", \"ben\" }")
  }

  @Test("at declares which numbers are symmetric, and random draws any of them")
  func ring() throws {
    try agrees(
      SymmetryTests.ring, "", "to = { 1, 2, 3, at = { \"has[to]\", \"by = to\" } }"
    ) { state, order in
      guard let has = state["has"]?.listValue, let by = state["by"]?.integerValue else {
        return state
      }
      var moved = has
      for index in 0..<3 { moved[order[index]] = has[index] }
      return [
        "has": .list(moved), "by": .integer(order[by - 1] + 1), "total": state["total"] ?? .nil,
      ]
    }
  }

  @Test("numbers next to symmetric values, in records of any fields, are not permuted")
  func numbersBeside() throws {
    let flow = """
      state { p = { { x = 0, n = 0 }, { x = 0, n = 0 }, { x = 0, n = 0 } } }
      action.go { x = integer { min = 1, max = 3 }, k = integer { min = 1, max = 2 } }
      function reduce.go(s, a) s.p[a.x].n, s.p[a.x].x = a.k, a.x end
      """
    for alike in ["x = { 1, 2, 3 }", "x = { 1, 2, 3, at = { \"p[x]\", \"p[*].x = x\" } }"] {
      let report = try exploration(flow, "alike = { \(alike) }").run()
      // Of each of three no k or one of two, in no order.
      #expect(report.states == 10)
      #expect(report.depth == 4)
    }
  }

  @Test("at can name a field of a record that allows any fields")
  func open() throws {
    let flow = """
      state { p = list {} }
      action.go { x = integer { min = 1, max = 3 }, k = integer { min = 0, max = 2 } }
      function reduce.go(s, a) s.p[1] = { who = a.x, n = a.k } end
      """
    let report = try exploration(
      flow, "alike = { x = { 1, 2, 3, at = { \"p[*].who = x\" } } }"
    ).run()
    #expect(report.states == 4)
  }

  @Test("fields are not permuted if only some of them are named like symmetric values")
  func names() throws {
    let flow = """
      state { owner = "", c = 0, at = { b = 0 }, typed = { a = integer { default = 0 } } }
      action.go { x = one_of { "a", "b", "c" } }
      function reduce.go(s, a)
        s.owner, s.c, s.at.b, s.typed.a = a.x, (s.c + 1) % 2, s.c, s.c
      end
      """
    let report = try exploration(flow, "alike = { x = { \"a\", \"b\", \"c\" } }").run()
    #expect(report.states == 3)
  }

  /// An independent program comes to these numbers.
  @Test(
    "two-phase commit has 80 states under symmetry with three managers, and 166 with four",
    arguments: [(3, 80, 318, 11), (4, 166, 869, 14)])
  func commit(managers: Int, states: Int, transitions: Int, depth: Int) throws {
    let flow = try String(
      contentsOf: ExamplesTests.folder.appending(path: "two-phase-commit.lua"), encoding: .utf8)
    let values = (1...managers).map { "\($0)" }.joined(separator: ", ")
    let report = try exploration(
      flow.replacing("MANAGERS = 3", with: "MANAGERS = \(managers)"),
      "alike = { r = { \(values) } }"
    ).run()
    #expect(report.states == states)
    #expect(report.transitions == transitions)
    #expect(report.depth == depth)
    #expect(report.text("it").hasPrefix("it: \(states) states up to symmetry of r, "))
  }

  @Test("several threads give exactly the report of one")
  func threads() throws {
    for (flow, names) in [
      (SymmetryTests.lock, "\"ann\", \"ben\", \"cy\""), (SymmetryTests.people, "\"ann\", \"ben\""),
    ] {
      func told(_ jobs: Int) throws -> String {
        var exploration = try exploration(
          flow, "alike = { who = { \(names) } }",
          "sometimes(\"no\", function() return false end)")
        exploration.jobs = jobs
        return try EnginePairTests.told(exploration)
      }
      let one = try told(1)
      #expect(try told(4) == one)
    }
  }

  @Test("a stopped search resumes to the same report")
  func checkpoint() throws {
    let path = FileManager.default.temporaryDirectory.appending(
      path: "moonlatch-\(UUID().uuidString)"
    ).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    for hashes in [false, true] {
      let explored = try Explored(
        SymmetryTests.lock, "explore(\"it\", { alike = { who = { \"ann\", \"ben\", \"cy\" } } })")
      var exploration = try #require(try explored.explorations().first)
      exploration.bounds.hashes = hashes
      exploration.checksSome = false
      let whole = try exploration.run().text("it")
      for questions in [3, 20, 40] {
        var part = exploration
        part.jobs = 1
        part.checkpoint = CheckpointPlan(path)
        let asked = Counter()
        part.isStopped = { asked.next() > questions }
        #expect(try part.run().ending == .stopped)
        exploration.resumes = try ExplorationCheckpoint(path)
        #expect(try exploration.run().text("it") == whole)
      }
    }
  }

  private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    func next() -> Int {
      lock.withLock {
        count += 1; return count
      }
    }
  }

  // MARK: Values that are told apart

  private func refusal(
    _ flow: String, _ options: String, _ body: String = ""
  ) throws -> String {
    try Explored.faults("explore(\"it\", { \(options) }, function() \(body) end)", of: flow)
      .joined(separator: "\n")
  }

  @Test("a flow that is not symmetric is detected, with its results in both states")
  func apart() throws {
    let flow = SymmetryTests.lock.replacing(
      "if s.owner == a.who then",
      with: "if a.who == \"ben\" then return false, \"not ben\" end\n  if s.owner == a.who then")
    let said = try refusal(flow, "alike = { who = { \"ann\", \"ben\" } }")
    #expect(
      said.contains("a.explore.lua:2: alike who: \"ann\" and \"ben\" are not symmetric: in { "))
    #expect(said.contains("ask { who = \"ben\" } is refused by"))
  }

  @Test("a property, an invariant or an undeclared field that is not symmetric is detected")
  func properties() throws {
    let alike = "alike = { who = { \"ann\", \"ben\" } }"
    #expect(
      try refusal(
        SymmetryTests.lock, alike, "never(\"ann\", function(s) return s.owner == \"ann\" end)"
      )
      .contains("are not symmetric: never ann is "))
    #expect(
      try refusal(
        SymmetryTests.lock, alike,
        "step(\"ann\", function(s, t) return t.owner ~= \"ann\" end)"
      ).contains("not symmetric: step ann is false for ask { who = \"ann\" } in { "))
    #expect(
      try refusal(
        SymmetryTests.ring, "alike = { to = { 1, 2, 3, at = { \"has[to]\", \"by = to\" } } }",
        "step(\"luck\", function(s, t, a) return a.name ~= \"luck\" or t.by ~= 2 end)"
      ).contains("not symmetric: step luck is "))
    #expect(
      try refusal(
        SymmetryTests.lock.replacing("#s.queue < 2", with: "s.owner ~= \"ben\""), alike
      ).contains("not symmetric: invariant.short is "))
    #expect(
      try refusal(
        SymmetryTests.lock,
        "alike = { who = { \"ann\", \"ben\", at = { \"owner = who\", \"queue[*] = who\" } } }"
      ).contains("at must name every place"))
  }

  @Test("asymmetry deep in the state space is detected")
  func deep() throws {
    let flow = """
      state { n = 0, who = "" }
      action.up { who = one_of { "ann", "ben" } }
      action.stop { who = one_of { "ann", "ben" } }
      function gate.up(s) return s.n < 1500 end
      function reduce.up(s, a) s.n = s.n + 1; s.who = a.who end
      function gate.stop(s, a) return s.n ~= 1400 or a.who == "ann", "not now" end
      """
    let said = try refusal(flow, "alike = { who = { \"ann\", \"ben\" } }")
    #expect(said.contains("stop { who = \"ben\" } is refused by gate stop: not now"))
  }

  @Test("records of different shapes under symmetric keys are detected")
  func records() throws {
    let flow = """
      state { p = { ann = { a = 1 }, ben = { b = 1 } } }
      action.up { who = one_of { "ann", "ben" } }
      function reduce.up(s, a) end
      """
    #expect(
      try refusal(flow, "alike = { who = { \"ann\", \"ben\" } }").contains("are not symmetric: "))
  }

  @Test("symmetric integers without at are detected")
  func integers() throws {
    #expect(
      try refusal(SymmetryTests.ring, "alike = { to = { 1, 2, 3 } }").contains(
        "name the places of these values with at"))
  }

  @Test("graphs, liveness properties and partial payloads are rejected with symmetry reduction")
  func limits() throws {
    let alike = "alike = { who = { \"ann\", \"ben\", \"cy\" } }"
    var graphed = try exploration(SymmetryTests.lock, alike)
    graphed.graph = .aldebaran
    #expect(throws: ExplorationError.self) { try graphed.run() }
    #expect(
      try refusal(
        SymmetryTests.lock, alike, "eventually(\"free\", function(s) return s.owner == \"\" end)"
      )
      .contains("eventually free is a property of runs"))
    #expect(
      try refusal(SymmetryTests.lock, "actions = { ask = { who = { \"ann\" } } }, \(alike)")
        .contains("action ask has the payload { who = \"ann\" } and not { who = \"ben\" }"))
    #expect(
      try refusal(
        SymmetryTests.ring,
        "alike = { to = { 1, 2, 5, at = { \"has[to]\" } } }, actions = { give = { to = { 1, 2, 3 } } }"
      ).contains("and not { to = 5 }"))
  }
}
