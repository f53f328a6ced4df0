import FlowExplore
import FlowHosting
import FlowKernel
import FlowLanguage
import FlowTools
import Foundation
import LuaRuntime
import Scenarios

/// A random type and values, which each part of Moonlatch must accept or reject alike, with the same results.
package struct TypeCrossing {
  /// The counts of what was compared.
  package struct Count: Sendable, CustomStringConvertible {
    package var types = 0
    package var fitting = 0
    package var refused = 0
    package var crossings = 0

    package init() {}

    package var description: String {
      "\(types) types, \(fitting) values that fit and \(refused) that do not, \(crossings) crossings"
    }
  }

  private struct Drawn {
    let value: Value
    let source: String
    /// The value as a payload; nil if it does not fit.
    let normalized: Value?
    /// The value in the state, where a missing field has its initial value.
    let completed: Value?
  }

  private let type: RandomType
  private let values: [Drawn]
  private let text: String
  private var count: Count

  /// Compares the values of a random type, and throws any difference.
  package static func play(seed: UInt64, _ count: inout Count) throws {
    var draw = Draw(seed: seed)
    let type = RandomType(&draw, depth: 3)
    var crossing = TypeCrossing(type, &draw, count)
    do {
      try crossing.play()
    } catch {
      throw Finding(description: "seed \(seed): \(error)\n\n\(crossing.text)")
    }
    count = crossing.count
  }

  private init(_ type: RandomType, _ draw: inout Draw, _ count: Count) {
    (self.type, self.count) = (type, count)
    var values: [Drawn] = []
    for index in 0..<6 {
      let value = type.value(&draw, fits: index < 3)
      values.append(
        Drawn(
          value: value, source: type.literal(value),
          normalized: type.normalized(value, completes: false).map(TypeCrossing.canonical),
          completed: type.normalized(value, completes: true).map(TypeCrossing.canonical)))
    }
    self.values = values
    text = TypeCrossing.flow(type, values)
  }

  /// Returns the value with all empty tables equal.
  private static func canonical(_ value: Value) -> Value {
    switch value {
    case .list(let elements):
      elements.isEmpty ? [:] : .list(elements.map(canonical))
    case .map(let entries):
      entries.isEmpty ? [:] : .map(entries.mapValues(canonical))
    case .record(let fields): .record(fields.mapValues(canonical))
    default: value
    }
  }

  /// Returns a flow that writes the values whole, piece by piece, and from an effect.
  private static func flow(_ type: RandomType, _ values: [Drawn]) -> String {
    let whole = values.map { "  function() return \($0.source) end," }
    let pieces = values.map { drawn in
      "  function(s)\n\(writes(drawn.value, type).map { "    \($0)\n" }.joined())  end,"
    }
    return """
      version(2)
      local t = \(type.source)
      state { f = optional(t), n = integer { default = 0 } }
      action.put { v = t }
      action.write { i = integer }
      action.pieces { i = integer }
      action.relay { i = integer }
      action.refused {}
      local whole = {
      \(whole.joined(separator: "\n"))
      }
      local pieces = {
      \(pieces.joined(separator: "\n"))
      }
      function reduce.put(s, a) s.f = a.v end
      function reduce.write(s, a) s.f = whole[a.i]() end
      function reduce.pieces(s, a) pieces[a.i](s) end
      function reduce.refused(s) s.n = s.n + 1 end
      function effect.relay(self, a)
        if not pcall(dispatch.put, { v = whole[a.i]() }) then dispatch.refused {} end
      end
      function view.f(s) return s.f end
      function migrate.to_2(s) end

      """
  }

  /// Returns statements that change a value of this type into another one that fits.
  private static func writes(_ value: Value, _ type: RandomType) -> [String] {
    switch (type, value) {
    case (.list, .list(let elements)):
      return ["while #s.f > 0 do table.remove(s.f) end"]
        + elements.map { "table.insert(s.f, \(type.part(nil).literal($0)))" }
    case (.map, .record(let fields)):
      return ["for key in pairs(s.f) do s.f[key] = nil end"]
        + fields.sorted { $0.key < $1.key }.map {
          "s.f[\(Value.quoted($0, limit: .max))] = \(type.part(nil).literal($1))"
        }
    case (.map, .map(let entries)):
      return ["for key in pairs(s.f) do s.f[key] = nil end"]
        + entries.sorted { $0.key < $1.key }.map { "s.f[\($0)] = \(type.part(nil).literal($1))" }
    case (.record(let fields), .record(let given)):
      let names = Set(fields.map(\.name)).union(given.keys).sorted()
      return names.map { name in
        let field = fields.first { $0.name == name }
        let standIn =
          field?.defaultValue ?? (field?.isOptional == false ? field?.type.beginning : nil)
        let written = given[name] ?? standIn ?? .nil
        return "s.f[\(Value.quoted(name, limit: .max))] = \(type.part(name).literal(written))"
      }
    default: return ["s.f = \(type.literal(value))"]
    }
  }

  private mutating func play() throws {
    count.types += 1
    count.fitting += values.count { $0.normalized != nil }
    count.refused += values.count { $0.normalized == nil }
    let flow = try LoadedFlow(source: text)
    try cross(flow)
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "fuzz-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(text.utf8).write(to: folder.appending(path: "flow.lua"))
    try playScenarios(in: folder)
    try playSaved(flow, in: folder)
    try explore(in: folder)
  }

  // MARK: Through hosts

  private func host(_ flow: LoadedFlow, _ journal: MemoryJournal? = nil) throws -> FlowHost {
    let options = HostOptions(clock: .virtual, print: { _ in }, report: { _ in })
    guard let journal else { return try FlowHost(flow, options: options) }
    return try FlowHost(flow, journal: journal, case: "c", options: options)
  }

  private mutating func cross(_ flow: LoadedFlow) throws {
    let journal = MemoryJournal()
    let live = try host(flow, journal)
    let base = values.first { $0.normalized != nil }?.value
    for (index, drawn) in values.enumerated() {
      let number: Value = ["i": .integer(index + 1)]
      let json = try JSONText.value(of: JSONText.text(["v": drawn.value]))
      let read = flow.flow.reading(json: json, of: "put")
      try compare(drawn, drawn.normalized, "a payload", live) {
        try live.dispatch("put", ["v": drawn.value])
      }
      if drawn.normalized != nil || !TypeCrossing.hasNumberedNames(drawn.value) {
        try compare(drawn, drawn.normalized, "a payload of JSON", live) {
          try live.dispatch("put", read)
        }
      }
      try compare(drawn, drawn.completed, "a table that is written", live) {
        try live.dispatch("write", number)
      }
      if let base {
        try require(
          try live.dispatch("put", ["v": base]).isPassed, "what fits does not pass: \(base)")
        try compare(drawn, drawn.completed, "elements that are written", live) {
          try live.dispatch("pieces", number)
        }
      }
      try compareEffect(drawn, live, number)
    }
    try compareRestored(live, flow, journal)
  }

  /// Returns true if names of JSON may stand for integer keys or the reverse, so that the types decide.
  private static func hasNumberedNames(_ value: Value) -> Bool {
    switch value {
    case .map: true
    case .list(let elements): elements.contains(where: hasNumberedNames)
    case .record(let fields):
      fields.contains { name, value in
        Int(name.filter { $0 != "[" && $0 != "]" }) != nil || hasNumberedNames(value)
      }
    default: false
    }
  }

  private mutating func compare(
    _ drawn: Drawn, _ normalized: Value?, _ how: String, _ host: FlowHost,
    _ body: () throws -> Outcome
  ) throws {
    count.crossings += 1
    let outcome = try body()
    guard let normalized else {
      try require(!outcome.isPassed, "\(how) passes, which does not fit: \(drawn.value)")
      return
    }
    try require(outcome.isPassed, "\(how) fits, and does not pass: \(drawn.value): \(outcome)")
    try compare(try host.view("f"), normalized, how)
  }

  private func compare(_ found: Value, _ wanted: Value, _ how: String) throws {
    let found = TypeCrossing.canonical(found)
    try require(found == wanted, "\(how) becomes \(found), and not \(wanted)")
  }

  private mutating func compareEffect(_ drawn: Drawn, _ host: FlowHost, _ number: Value) throws {
    count.crossings += 1
    let before = try host.state()["n"]
    try require(try host.dispatch("relay", number).isPassed, "the effect does not begin")
    try host.settle()
    guard let normalized = drawn.normalized else {
      try require(
        try host.state()["n"] != before, "an effect dispatches what does not fit: \(drawn.value)")
      return
    }
    try require(
      try host.state()["n"] == before, "an effect cannot dispatch what fits: \(drawn.value)")
    try compare(try host.view("f"), normalized, "what an effect dispatches")
  }

  /// Checks that a case keeps its state after a reload, in a snapshot and from its journal, also under another text.
  private mutating func compareRestored(
    _ live: FlowHost, _ flow: LoadedFlow, _ journal: MemoryJournal
  ) throws {
    for drawn in values {
      guard let normalized = drawn.normalized else { continue }
      try require(
        try live.dispatch("put", ["v": drawn.value]).isPassed, "what fits does not pass")
      try live.reload(to: try LoadedFlow(source: text + "-- changed\n"))
      try compare(try live.view("f"), normalized, "after a reload, it")
      count.crossings += 3
      let later = try FlowHost(
        flow, restoring: live.snapshot(),
        options: HostOptions(clock: .virtual, print: { _ in }, report: { _ in }))
      try compare(try later.view("f"), normalized, "in a snapshot, it")
      let restored = try host(flow, journal.restarted())
      try compare(try restored.view("f"), normalized, "in a case from its journal, it")
    }
  }

  // MARK: Through scenarios

  private mutating func playScenarios(in folder: URL) throws {
    let scenarios = values.flatMap(TypeCrossing.scenarios).enumerated().map { number, scenario in
      (text: "scenario(\"\(number)\", function() \(scenario.text) end)\n", passes: scenario.passes)
    }
    let file = "flow \"flow.lua\"\n" + scenarios.map(\.text).joined()
    let results = try play(file, in: folder)
    for (result, scenario) in zip(results, scenarios) {
      count.crossings += 1
      try require(result.isPassed == scenario.passes, "\(scenario.text)\(result)")
    }
  }

  private func play(_ file: String, in folder: URL) throws -> [ScenarioResult] {
    try Data(file.utf8).write(to: folder.appending(path: "a.scenario.lua"))
    var settings = PlaySettings()
    settings.snapshots = .keepAll
    guard let item = Selection(["a.scenario.lua"], in: folder).items.first else {
      throw Finding(description: "there is no scenario")
    }
    let open = try Runner(settings: settings).open(item)
    return open.file.entries.map { open.play($0).result }
  }

  /// Checks that a session at the prompt that is saved as a scenario passes.
  private mutating func playSaved(_ flow: LoadedFlow, in folder: URL) throws {
    let engine = try Engine(flow, limits: Limits(), log: ScriptLog { _ in })
    var played = PlayedSteps()
    for drawn in values {
      let payload: Value = ["v": drawn.value]
      let start = engine.time
      let outcome = engine.dispatch("put", payload)
      played.add(
        .init(
          .dispatch(action: "put", payload: payload, outcome: outcome, followed: []), at: start))
    }
    let text = try ScenarioWriter(engine, played.entries).text(flow: "flow.lua")
    for result in try play(text, in: folder) {
      count.crossings += 1
      try require(result.isPassed, "what was saved: \(result)\n\(text)")
    }
  }

  /// Checks that an exploration reaches one state for each value that fits.
  private mutating func explore(in folder: URL) throws {
    let fitting = values.filter { $0.normalized != nil }
    if fitting.isEmpty { return }
    let flow = """
      local t = \(type.source)
      state { f = optional(t) }
      action.put { v = t }
      function reduce.put(s, a) s.f = a.v end
      """
    let payloads = fitting.map(\.source).joined(separator: ", ")
    let file = folder.appending(path: "a.explore.lua")
    try Data(flow.utf8).write(to: folder.appending(path: "explored.lua"))
    try Data(
      """
      flow "explored.lua"
      explore("it", { actions = { put = { v = { \(payloads) } } } }, function()
        always("it is seen", function() return true end)
      end)
      """.utf8
    ).write(to: file)
    guard let exploration = try ExplorationFile(file).explorations().first else {
      throw Finding(description: "nothing is explored")
    }
    let report = try exploration.run()
    let states = Set(fitting.compactMap(\.normalized)).count + 1
    count.crossings += 1
    try require(report.states == states, "\(report.states) states instead of \(states)")
  }

  private static func scenarios(_ drawn: Drawn) -> [(text: String, passes: Bool)] {
    let source = drawn.source
    var bodies: [(String, Bool)] = []
    if let normalized = drawn.normalized {
      let exact = normalized.source
      bodies += [
        (
          "pass.put { v = \(source) } expect.view.f(\(exact)) restart() expect { f = \(exact) }",
          true
        ),
        ("pass.put { v = \(exact) } expect { f = \(exact) }", true),
      ]
    } else {
      bodies.append(("fail.put { v = \(source) }", true))
    }
    guard let completed = drawn.completed else {
      return bodies + [
        ("given { f = \(source) }", false),
        ("expect.migrates { version = 1, from = { f = \(source) } }", false),
      ]
    }
    let exact = completed.source
    return bodies + [
      ("given { f = \(source) } expect.view.f(\(exact)) restart() expect.view.f(\(exact))", true),
      ("given { f = \(exact) } expect.state { f = \(exact), n = 0 }", true),
      ("expect.migrates { version = 1, from = { f = \(source) }, to = { f = \(exact) } }", true),
    ]
  }
}

extension ScenarioResult {
  fileprivate var isPassed: Bool { if case .passed = self { true } else { false } }
}
