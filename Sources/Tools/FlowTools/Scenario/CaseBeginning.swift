import FlowHosting
import FlowKernel
import LuaRuntime

/// The initial situation of a case, as far as it differs from the flow's own, for a scenario's `given`.
package struct CaseBeginning {
  /// The initial state of the flow.
  package let fresh: Value
  /// The wall clock's time at the beginning, in microseconds since 1970; nil for a host without a case.
  package let born: Int?
  /// The options that each gatekeeper held; empty for a yes/no gatekeeper.
  package private(set) var held: [String: [String]] = [:]
  /// Notes about the parts that a scenario cannot express.
  package private(set) var notes: [String] = []

  /// - Parameter born: the time at which the case was created, in microseconds since 1970.
  package init(_ entry: JournalEntry, born: Int, fresh: Value) throws {
    self.fresh = fresh
    let contents = try entry.contents()
    // Time begins with the case: the time before its first entry passes in the scenario, too.
    self.born = entry.seq == 1 ? born : entry.wall
    if entry.seq == 1 { return }
    for passage in contents.passagesTaken {
      held[passage.gatekeeper, default: []] += passage.option.map { [$0] } ?? []
    }
    notes = [
      "The entries up to \(entry.seq) were dropped by a compaction: this begins with the state after them.",
      "Time starts at 0, and timers of states with their full delays.",
    ]
    let lost = contents.timersSet.map(\.action) + contents.effectsBegan.map(\.title)
    if !lost.isEmpty { notes.append("Not given: \(lost.joined(separator: ", ")).") }
  }

  /// Makes a beginning that consists of the state only.
  ///
  /// - Parameter born: the time at which the case was created, in microseconds since 1970; nil without a case.
  package init(fresh: Value, born: Int?, notes: [String]) {
    (self.fresh, self.born, self.notes) = (fresh, born, notes)
  }

  /// Makes the beginning for an engine whose earlier steps are omitted.
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
