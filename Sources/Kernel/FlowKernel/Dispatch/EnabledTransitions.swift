import LuaRuntime
import StateCharts

/// What steps 2 to 5 have found out: how the action would move the machines and what it would do
/// to the gatekeepers, if it passes.
package struct EnabledTransitions {
  /// A microstep that an action enables.
  enum TransitionSelection {
    case prepared(Unmanaged<PreparedMicrostep>)
    /// The selected transitions, without conflicts; the microstep is worked out when it is taken.
    case selected(ChartSubject, [ChartInterpreter.TransitionNumber])
  }

  /// What most actions have none of, in one place.
  struct Additions {
    /// The microsteps in the order of their machines, but for the first if that is prepared.
    package var selections: [TransitionSelection] = []
    package var resets: [GatekeeperOption] = []
    package var takes: [GatekeeperOption] = []
  }

  /// The first microstep, if it is prepared; most actions move one machine, if any.
  ///
  /// Unmanaged: the action that is dispatched keeps it.
  private var microstep: Unmanaged<PreparedMicrostep>?
  private(set) var additions: Additions?

  /// True if machines go anywhere.
  package var moves: Bool { microstep != nil || additions.map { !$0.selections.isEmpty } ?? false }

  /// The only microstep, if it is prepared.
  var onlyMicrostep: Unmanaged<PreparedMicrostep>? {
    additions.map { $0.selections.isEmpty } ?? true ? microstep : nil
  }

  /// The microsteps of all machines, in their order.
  var selections: [TransitionSelection] {
    (microstep.map { [.prepared($0)] } ?? []) + (additions?.selections ?? [])
  }

  /// True if gatekeepers take or reset anything.
  var touchesGatekeepers: Bool {
    additions.map { !$0.resets.isEmpty || !$0.takes.isEmpty } ?? false
  }

  package var resets: [GatekeeperOption] { additions?.resets ?? [] }
  package var takes: [GatekeeperOption] { additions?.takes ?? [] }

  /// True if a gatekeeper takes or resets anything.
  package func touches(_ gatekeeper: String) -> Bool {
    guard let additions else { return false }
    return additions.resets.contains { $0.gatekeeper == gatekeeper }
      || additions.takes.contains { $0.gatekeeper == gatekeeper }
  }

  /// All gatekeepers that do.
  var touchedGatekeepers: Set<String> {
    guard let additions else { return [] }
    return Set((additions.resets + additions.takes).map(\.gatekeeper))
  }

  /// Adds the prepared microstep of one more machine.
  mutating func add(_ next: Unmanaged<PreparedMicrostep>) {
    if !moves { microstep = next } else { add(.prepared(next)) }
  }

  mutating func add(_ selection: TransitionSelection) {
    change { $0.selections.append(selection) }
  }

  mutating func add(_ selections: [TransitionSelection]) {
    if !selections.isEmpty { change { $0.selections += selections } }
  }

  /// Has gatekeepers reset and take options.
  package mutating func add(resets: [GatekeeperOption], takes: [GatekeeperOption]) {
    if resets.isEmpty && takes.isEmpty { return }
    change {
      if $0.resets.isEmpty { $0.resets = resets } else { $0.resets += resets }
      if $0.takes.isEmpty { $0.takes = takes } else { $0.takes += takes }
    }
  }

  /// By what plans are told from each other; nil where records move.
  package var title: String? {
    if microstep == nil, additions == nil { return "" }
    var parts: [String] = []
    for selection in selections {
      switch selection {
      case .prepared(let microstep):
        let move = microstep._withUnsafeGuaranteedRef { $0.move }
        guard move.machine.records == nil else { return nil }
        parts.append("\(move.machine.index) \(move.transitions)")
      case .selected(let subject, let transitions):
        guard subject.machine.records == nil else { return nil }
        parts.append("\(subject.machine.index) \(transitions)")
      }
    }
    parts += resets.map { "-\($0.gatekeeper).\($0.option)" }
    parts += takes.map { "+\($0.gatekeeper).\($0.option)" }
    return parts.joined(separator: "\n")
  }

  mutating func change(_ change: (inout Additions) -> Void) {
    var changed = additions ?? Additions()
    additions = nil  // the arrays belong to `changed` alone: to change them copies none
    change(&changed)
    additions = changed
  }
}

/// A step that does not let the action pass.
package indirect enum Rejection: Error {
  case refused(Refusal)
  case failed(DispatchFailure)

  /// As the failure of what is no action, where nobody is asked who could refuse.
  package var failure: DispatchFailure {
    switch self {
    case .failed(let failure): failure
    case .refused(let refusal):
      DispatchFailure(kind: .script, action: refusal.action, message: refusal.description)
    }
  }
}
