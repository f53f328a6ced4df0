import FlowKernel
import LuaRuntime
import StateCharts

/// The coverage of a flow: what the scenarios of a run have exercised, and what not.
package struct CoverageRecord: Sendable, Hashable {
  /// One kind of thing that is counted, such as actions, gates or the lines of a file.
  package struct Part: Sendable, Hashable {
    package var kind: String
    package var total: Int
    /// The names of what was not exercised, sorted.
    package var missing: [String]

    /// The percentage that was exercised; 100 if there is nothing to exercise.
    package var percent: Double {
      total == 0 ? 100 : 100 * Double(total - missing.count) / Double(total)
    }
  }

  /// The kind of the part that counts the transitions of machines.
  static let transitions = "machine transitions"

  package var flow: String
  package var parts: [Part] = []

  package init(flow: String) { self.flow = flow }

  /// Returns the parts of which less than a percentage was exercised.
  package func parts(below percent: Double) -> [Part] { parts.filter { $0.percent < percent } }

  /// Merges the other record: only what neither has exercised stays missing.
  package mutating func merge(_ other: CoverageRecord) {
    for part in other.parts {
      guard let index = parts.firstIndex(where: { $0.kind == part.kind }) else {
        parts.append(part)
        continue
      }
      let missing = Set(part.missing)
      parts[index].missing.removeAll { !missing.contains($0) }
    }
  }
}

/// The coverage of one scenario, or of a session at the prompt, collected as it runs.
package struct CoverageNotes {
  private var actions: Set<String> = []
  private var agreed: Set<String> = []
  private var refused: Set<String> = []
  /// The transitions that machines took and the states that they entered, by the machine's number.
  private var transitions: [Int: Set<CompiledChart.TransitionNumber>] = [:]
  private var states: [Int: Set<Chart.StateNumber>] = [:]

  /// Counts the active states as entered, and those that eventless transitions left at the start.
  package init(active: [[Chart.StateNumber]], after eventless: [MicrostepRecord]) {
    states = Dictionary(uniqueKeysWithValues: active.enumerated().map { ($0, Set($1)) })
    note(eventless)
    for step in eventless { states[step.machine, default: []].formUnion(step.left) }
  }

  package mutating func note(_ outcome: Outcome, decisions: [Decision]) {
    if case .passed(let commit) = outcome, !commit.isPostponed { actions.insert(commit.action) }
    for decision in decisions {
      if decision.agreed { agreed.insert(decision.by) } else { refused.insert(decision.by) }
    }
  }

  /// Adds the transitions and the entered states of microsteps.
  package mutating func note(_ steps: [MicrostepRecord]) {
    for step in steps {
      transitions[step.machine, default: []].formUnion(step.transitions)
      states[step.machine, default: []].formUnion(step.entered)
    }
  }

  /// Counts the initial states of records' machines as entered, if there are such records or their machine has entered
  /// a state.
  package mutating func noteRecords(of engine: Engine) {
    for (index, begun) in engine.beginningsOfRecords {
      if states[index]?.isEmpty == false || engine.hasRecords(ofMachine: index) {
        states[index, default: []].formUnion(begun)
      }
    }
  }

  private func taken(of flow: LoadedFlow) -> Set<String> {
    var names: Set<String> = []
    for (machine, transitions) in transitions {
      let all = flow.flow.machines[machine].transitionNames
      names.formUnion(transitions.compactMap { all[Int($0)] })
    }
    return names
  }

  private func entered(of flow: LoadedFlow) -> Set<String> {
    var names: Set<String> = []
    for (machine, states) in states where !flow.flow.machines[machine].isFlat {
      names.formUnion(states.compactMap { flow.flow.machines[machine].nameWhereCounted($0) })
    }
    return names
  }

  package func record(of flow: LoadedFlow, lines: [String: CoveredLines]) -> CoverageRecord {
    var record = CoverageRecord(flow: flow.name)
    func add(_ kind: String, _ all: [String], _ covered: Set<String>) {
      guard !all.isEmpty else { return }
      record.parts.append(
        CoverageRecord.Part(
          kind: kind, total: all.count, missing: all.filter { !covered.contains($0) }))
    }
    add("actions passed", flow.actionNames, actions)
    add("gates that agreed", flow.gateNames, agreed)
    add("gates that refused", flow.gateNames, refused)
    add(CoverageRecord.transitions, flow.transitionNames, taken(of: flow))
    add("machine states", flow.stateNames, entered(of: flow))
    for (file, all, functions) in flow.lines {
      let covered = lines[file] ?? CoveredLines()
      // The first line of a function runs when the function is made, so only a call counts.
      let reached = covered.ran.subtracting(functions.subtracting(covered.called))
      add(
        "lines of \(file)", all.sorted().map(String.init), Set(reached.map(String.init)))
    }
    return record
  }
}

/// The lines of a report that show coverage.
package struct CoverageText {
  let record: CoverageRecord

  package init(record: CoverageRecord) { self.record = record }

  package var lines: [String] {
    let kinds = record.parts.map(\.kind.count).max() ?? 0
    return ["coverage of \(record.flow)"]
      + record.parts.flatMap { part in
        let padding = String(repeating: " ", count: kinds - part.kind.count)
        let count = "  \(part.kind)\(padding)  \(part.total - part.missing.count) of \(part.total)"
        if part.missing.isEmpty { return [count] }
        guard part.kind == CoverageRecord.transitions else {
          return ["\(count), not: \(CoverageText.short(part.missing))"]
        }
        return ["\(count), not:"] + CoverageText.first(part.missing).map { "    \($0)" }
      }
  }

  private static let most = 20

  /// Returns the first names, and the number of the others.
  private static func first(_ missing: [String]) -> [String] {
    missing.prefix(most)
      + (missing.count > most ? ["... and \(missing.count - most) more"] : [])
  }

  /// Returns numbers as ranges, or else the first names, one by one.
  static func short(_ missing: [String]) -> String {
    let numbers = missing.compactMap { OutsideNumber.integer($0, in: OutsideNumber.counts) }
    guard numbers.count == missing.count else {
      return first(missing).joined(separator: ", ")
    }
    var ranges: [ClosedRange<Int>] = []
    for number in numbers.sorted() {
      if let last = ranges.last, last.upperBound + 1 >= number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ", ")
  }
}

extension CoverageRecord {
  func write(to fields: inout EventFields) {
    fields.set("flow", flow)
    fields.set(
      "parts",
      parts.map { part -> Value in
        var fields = EventFields()
        fields.set("kind", part.kind)
        fields.set("total", part.total)
        fields.set("missing", part.missing)
        return fields.value
      })
  }

  init(_ fields: OutsideFields) throws(OutsideFields.Malformed) {
    self.init(flow: try fields.text("flow") ?? "")
    parts = try fields.objects("parts").map { (part) throws(OutsideFields.Malformed) in
      Part(
        kind: try part.text("kind") ?? "", total: try part.integer("total") ?? 0,
        missing: try part.texts("missing"))
    }
  }
}
