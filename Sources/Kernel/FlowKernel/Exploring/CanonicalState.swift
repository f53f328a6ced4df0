import FlowLanguage
import StateBlocks

/// The canonical form of a case's state, as explorations compare it: equal cases have equal forms, whatever happened
/// before.
///
/// It has the properties that the table of `CaseState` calls compared, in parts which a run may read and write
/// without the others. Times are relative to now. Numbers only tell what is current: an instance of a scope has the
/// scope's position in the flow, counted from 1 for root, a passage has 1, and what is stale has 0. Each cause is of
/// revision 1.
package struct CanonicalState: Hashable, Sendable {
  /// A part of it, which a run may look at and change without the others.
  package enum Part: Hashable, Sendable {
    /// An option of a gatekeeper that says which it has.
    case option(gatekeeper: String, option: String)
    /// All options of one that does not.
    case gatekeeper(String)
    /// The timers that have no part of their own, with all that are due together with one of them.
    case timers
    /// The timers of a state whose delays are written in the flow.
    case stateTimers(StateTimerSlot)
    /// The order among those of states that have one delay, in microseconds.
    case timerOrder(delay: Int)
    /// The time since the beginning, where it is bounded.
    case time
    case historyValues(machine: String)
    /// The effects under way.
    case effects
  }

  /// The content of a part; there is none where it would be empty.
  package enum Content: Hashable, Sendable {
    /// The action that has taken the option.
    case held(by: String)
    case options([String: String])
    /// In the order in which they are due.
    case timers([PendingTimer])
    case stateTimers([StateTimer])
    case timerOrder(StateTimerOrder)
    /// In microseconds since the beginning.
    case time(Int)
    case historyValues([CaseState.Remembered: [String]])
    case effects([ExploredEffect])
  }

  /// The revision of each state that is explored.
  package static let revision = 1

  package var parts: [Part: Content] = [:]

  package init() {}

  package subscript(part: Part) -> Content? {
    get { parts[part] }
    set { parts[part] = newValue }
  }

  /// The parts in which it differs from another one, in order.
  package func parts(otherThanIn other: CanonicalState) -> [Part] {
    if parts.isEmpty, other.parts.isEmpty { return [] }
    var different: [Part] = []
    for (part, content) in parts where other[part] != content { different.append(part) }
    for part in other.parts.keys where parts[part] == nil { different.append(part) }
    return different.count < 2 ? different : different.sorted()
  }

  /// The microseconds that have passed, where that is part of a state.
  package var time: Int { if case .time(let time)? = parts[.time] { time } else { 0 } }

  /// How long time passes up to the next stop; nil where there is none.
  package func delay(by clock: ExploredClock) -> Int? {
    clock.delay(at: time, due: nextDue)
  }

  /// The effects under way, in order.
  package var effects: [ExploredEffect] {
    if case .effects(let effects)? = parts[.effects] { effects } else { [] }
  }
}

extension CanonicalState.Part: Comparable {
  package static func < (one: Self, other: Self) -> Bool { one.order < other.order }

  private var order: (Int, String, String, Int, Int) {
    switch self {
    case .option(let gatekeeper, let option): (0, gatekeeper, option, 0, 0)
    case .gatekeeper(let gatekeeper): (1, gatekeeper, "", 0, 0)
    case .timers: (2, "", "", 0, 0)
    case .stateTimers(let slot): (3, slot.machine, "", slot.region, slot.depth)
    case .timerOrder(let delay): (4, "", "", delay, 0)
    case .time: (5, "", "", 0, 0)
    case .historyValues(let machine): (6, machine, "", 0, 0)
    case .effects: (7, "", "", 0, 0)
    }
  }
}
