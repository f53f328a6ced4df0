import FlowHosting
import FlowKernel
import LuaRuntime

/// What a case began with that a flow does not begin with by itself, as a scenario gives it.
package struct CaseBeginning {
  /// The state of the flow as it begins.
  package let fresh: Value
  /// The wall clock's time then, in microseconds since 1970; nil for a host without a case.
  package let born: Int?
  /// The options that gatekeepers held; none for one that lets a single one pass.
  package private(set) var held: [String: [String]] = [:]
  /// What a scenario cannot give.
  package private(set) var notes: [String] = []

  /// - Parameter born: when the case was born, in microseconds since 1970.
  package init(_ entry: JournalEntry, born: Int, fresh: Value) throws {
    self.fresh = fresh
    let contents = try entry.contents()
    // Time begins with the case: what led to its first entry has passed in the scenario, too.
    self.born = entry.seq == 1 ? born : entry.wall
    if entry.seq == 1 { return }
    for passage in contents.passagesTaken {
      held[passage.gatekeeper, default: []] += passage.option.map { [$0] } ?? []
    }
    notes = [
      "The entries up to \(entry.seq) were dropped by a compaction: this begins with what was there then.",
      "Time begins anew, and timers of states in full.",
    ]
    let lost = contents.timersSet.map(\.action) + contents.effectsBegan.map(\.title)
    if !lost.isEmpty { notes.append("Not given: \(lost.joined(separator: ", ")).") }
  }

  /// Nothing else than what the state says.
  ///
  /// - Parameter born: when the case was born, in microseconds since 1970; nil for what is none.
  package init(fresh: Value, born: Int?, notes: [String]) {
    (self.fresh, self.born, self.notes) = (fresh, born, notes)
  }

  /// What stood in the middle of a life, of which the beginning is left out.
  package init(_ engine: Engine, fresh: Value, notes: [String]) {
    (self.fresh, self.notes) = (fresh, notes)
    born = engine.birth.map { EngineTime.later($0, by: engine.time) }
    for passage in engine.gatekeeperStatus.flatMap(\.held) {
      held[passage.gatekeeper, default: []] += passage.option.map { [$0] } ?? []
    }
    let lost = engine.pendingWork.map(\.action)
    if !lost.isEmpty { self.notes.append("Not given: \(lost.joined(separator: ", ")).") }
  }
}
