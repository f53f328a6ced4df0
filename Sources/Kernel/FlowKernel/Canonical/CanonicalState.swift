import FlowLanguage
import StateBlocks

/// The canonical form of a case's state, which explorations compare: equal cases have equal forms, whatever their
/// histories.
///
/// It has the properties that the table of `CaseState` calls compared, in parts that a run may read and write
/// separately. Times are relative to now. Numbers say only whether something is current: a scope instance has its
/// scope's position in the flow, counted from 1 for root, a passage has 1, and stale ones have 0. Each cause is of
/// revision 1.
package struct CanonicalState: Hashable, Sendable {
  /// A part of the state, which a run may read and write without the others.
  package enum Part: Hashable, Sendable {
    /// An option of a gatekeeper that declares its options.
    case option(gatekeeper: String, option: String)
    /// All options of a gatekeeper that does not declare them.
    case gatekeeper(String)
    /// The timers that have no part of their own, with all timers that are due together with one of them.
    case timers
    /// The timers of a state whose delays are written in the flow.
    case stateTimers(StateTimerSlot)
    /// The order among the timers of states that have the same delay, in microseconds.
    case timerOrder(delay: Int)
    /// The time since the beginning, if it is bounded.
    case time
    case historyValues(machine: String)
    /// The effects under way.
    case effects
  }

  /// The content of a part; an empty part has none.
  package enum Content: Hashable, Sendable {
    /// The action that has taken the option.
    case held(by: String)
    case options([String: String])
    /// The timers by due time.
    case timers([PendingTimer])
    case stateTimers([StateTimer])
    case timerOrder(StateTimerOrder)
    /// The time in microseconds since the beginning.
    case time(Int)
    case historyValues([CaseState.Remembered: [String]])
    case effects([ExploredEffect])
  }

  /// The revision of each explored state.
  package static let revision = 1

  package var parts: [Part: Content] = [:]

  package init() {}

  package subscript(part: Part) -> Content? {
    get { parts[part] }
    set { parts[part] = newValue }
  }

  /// Returns the parts in which the state differs from another, in order.
  package func parts(otherThanIn other: CanonicalState) -> [Part] {
    if parts.isEmpty, other.parts.isEmpty { return [] }
    var different: [Part] = []
    for (part, content) in parts where other[part] != content { different.append(part) }
    for part in other.parts.keys where parts[part] == nil { different.append(part) }
    return different.count < 2 ? different : different.sorted()
  }

  /// The parts in order, without those of timers, time and effects.
  var partsBesidesTimers: [(key: Part, value: Content)] {
    var found: [(key: Part, value: Content)] = []
    for part in parts {
      switch part.key {
      case .option, .gatekeeper, .historyValues: found.append(part)
      case .timers, .stateTimers, .timerOrder, .time, .effects: continue
      }
    }
    return found.count < 2 ? found : found.sorted { $0.key < $1.key }
  }

  /// The microseconds that have passed, if they are part of a state, else 0.
  package var time: Int { if case .time(let time)? = parts[.time] { time } else { 0 } }

  /// Returns the number of microseconds up to the next stop of the clock; nil if there is none.
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
