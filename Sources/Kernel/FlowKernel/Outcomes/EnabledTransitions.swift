import LuaRuntime
import StateCharts

/// The result of steps 2 to 5: the microsteps that the action takes, and what it does to gatekeepers, if it passes.
package struct EnabledTransitions {
  /// A microstep that an action enables.
  enum TransitionSelection {
    case prepared(Unmanaged<PreparedMicrostep>)
    /// The selected transitions, without conflicts; the microstep is computed when it is taken.
    case selected(ChartSubject, [ChartInterpreter.TransitionNumber])
  }

  /// The rarer parts, in one optional, because most actions have none of them.
  struct Additions {
    /// The microsteps in the order of their machines, without the first if that is prepared.
    package var selections: [TransitionSelection] = []
    package var resets: [GatekeeperOption] = []
    package var takes: [GatekeeperOption] = []
  }

  /// The first microstep, if it is prepared; most actions move one machine, if any.
  ///
  /// The reference is unmanaged: the action that is dispatched keeps the microstep alive.
  private var microstep: Unmanaged<PreparedMicrostep>?
  private(set) var additions: Additions?

  /// True if any machine takes a microstep.
  package var moves: Bool { microstep != nil || additions.map { !$0.selections.isEmpty } ?? false }

  /// The only microstep, if there is just one and it is prepared; otherwise nil.
  var onlyMicrostep: Unmanaged<PreparedMicrostep>? {
    additions.map { $0.selections.isEmpty } ?? true ? microstep : nil
  }

  /// The microsteps of all machines, in their order.
  var selections: [TransitionSelection] {
    (microstep.map { [.prepared($0)] } ?? []) + (additions?.selections ?? [])
  }

  /// True if any gatekeeper takes or resets an option.
  var touchesGatekeepers: Bool {
    additions.map { !$0.resets.isEmpty || !$0.takes.isEmpty } ?? false
  }

  package var resets: [GatekeeperOption] { additions?.resets ?? [] }
  package var takes: [GatekeeperOption] { additions?.takes ?? [] }

  /// Returns true if this gatekeeper takes or resets an option.
  package func touches(_ gatekeeper: String) -> Bool {
    guard let additions else { return false }
    return additions.resets.contains { $0.gatekeeper == gatekeeper }
      || additions.takes.contains { $0.gatekeeper == gatekeeper }
  }

  /// The gatekeepers that take or reset an option.
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

  /// Adds options that gatekeepers reset and take.
  package mutating func add(resets: [GatekeeperOption], takes: [GatekeeperOption]) {
    if resets.isEmpty && takes.isEmpty { return }
    change {
      if $0.resets.isEmpty { $0.resets = resets } else { $0.resets += resets }
      if $0.takes.isEmpty { $0.takes = takes } else { $0.takes += takes }
    }
  }

  /// A text that distinguishes these transitions from others; nil if machines of records move.
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

/// The error of a step that rejects the action.
package indirect enum Rejection: Error {
  case refused(Refusal)
  case failed(DispatchFailure)

  /// The rejection as a failure, for something that is not an action and that nobody can refuse.
  package var failure: DispatchFailure {
    switch self {
    case .failed(let failure): failure
    case .refused(let refusal):
      DispatchFailure(kind: .script, action: refusal.action, message: refusal.description)
    }
  }
}
