import FlowKernel
import FlowLanguage
import FlowTools
import LuaRuntime

extension Inspection {
  /// Returns the inputs from outside between two entries, both included, as a scenario.
  ///
  /// The scenario begins with the state before the first of the entries.
  package func scenario(of id: String, from first: Int, to last: Int) async throws -> Value {
    guard first <= last, first >= 1 else {
      throw InspectorMistake(.bad, "a range goes from an entry to the same or a later one")
    }
    var rows: [InspectedRow] = []
    var next = first
    while next <= last {
      let page = try await subject.rows(of: id, from: next, limit: min(500, last - next + 1))
      if page.last < next { break }
      rows += page.rows.filter { $0.seq <= last }
      next = page.last + 1
    }
    let steps = RangeSteps(rows).steps
    // An entry that writes the case anew is itself the beginning.
    let start = rows.first?.outcome == .snapshot ? first : first - 1
    let birth = try await subject.look(at: id, subject.remembersAll ? last : nil) { $0.birth }
    let fresh = try freshState(birth)
    var beginning = CaseBeginning(fresh: fresh, born: birth, notes: [])
    var state = fresh
    if !subject.remembersAll {
      // Time begins anew at the first row.
      let born = birth.map { EngineTime.later($0, by: rows.first?.time ?? 0) }
      beginning = CaseBeginning(fresh: fresh, born: born, notes: [])
      state = try await subject.state(of: id, at: start)
    } else if start > 0 {
      let notes =
        start == 1
        ? [] : ["This begins after entry \(start): time begins anew, and timers of states in full."]
      let isBirth = start == 1 && rows.first?.outcome == .snapshot
      (beginning, state) = try await subject.look(at: id, start) { engine in
        (
          isBirth
            ? CaseBeginning(fresh: fresh, born: engine.birth, notes: notes)
            : CaseBeginning(engine, fresh: fresh, notes: notes), try engine.state()
        )
      }
    }
    return try await subject.look(at: id, subject.remembersAll ? last : nil) {
      [beginning, state] engine in
      var writer = ScenarioWriter(engine, steps)
      (writer.beginning, writer.stateAtFirst) = (beginning, state)
      return try text(writer, id, first...last)
    }
  }

  private func text(
    _ writer: ScenarioWriter, _ id: String, _ range: ClosedRange<Int>
  ) throws -> Value {
    let (first, last) = (range.lowerBound, range.upperBound)
    var writer = writer
    writer.title = "\(id), entries \(first) to \(last)"
    writer.isPlayed = false
    writer.hidden = subject.flow.flow.secrets
    let name = subject.flow.name
    let file = name.split(separator: "/").last.map(String.init) ?? name
    return [
      "text": .string(try writer.text(flow: file)),
      "name": .string("\(FlowFile.stem(of: file)).\(first)-\(last).scenario.lua"),
    ]
  }

  /// Returns the initial state of the flow.
  private func freshState(_ birth: Int?) throws -> Value {
    try Engine(subject.flow, limits: subject.flow.limits, log: ScriptLog { _ in }, birth: birth)
      .state()
  }
}

/// The inputs from outside in some rows, as the steps of a scenario.
struct RangeSteps {
  private var played = PlayedSteps()
  private var time: Int?

  var steps: [PlayedSteps.Entry] { played.entries }

  init(_ rows: [InspectedRow]) {
    var rest = rows[...]
    while let row = rest.popFirst() {
      if row.outcome == .dropped { continue }
      if row.outcome == .snapshot {
        // Time begins with the case.
        time = row.seq == 1 ? 0 : max(time ?? 0, row.time)
        continue
      }
      let followed = Array(rest.prefix { $0.cause != nil })
      rest = rest.dropFirst(followed.count)
      let passed = followed.compactMap(\.result?.commit)
      if row.cause != nil {
        pass(to: row.time, (row.result?.commit.map { [$0] } ?? []) + passed)
        continue
      }
      pass(to: row.time, [])
      guard let outcome = row.result else { continue }
      played.add(
        .init(
          .dispatch(action: row.action, payload: row.payload, outcome: outcome, followed: passed),
          at: row.time))
      time = max(time ?? 0, followed.last?.time ?? row.time)
    }
  }

  private mutating func pass(to end: Int, _ followed: [Commit]) {
    let start = time ?? end
    time = max(start, end)
    if end > start || !followed.isEmpty {
      played.add(.init(.advance(microseconds: max(0, end - start), followed: followed), at: start))
    }
  }
}
