import FlowLanguage
import StateCharts

/// The timers of states whose delays are written in a flow, and the parts of the canonical form that contain them.
///
/// All other timers (of effects, of records, and those with a computed delay) are in one part, with all timers that are
/// due together with one of them. A move that sets or stops a state's timers thus reads and writes the parts of that
/// state alone; a move that sets one of the others reads all parts.
package struct StateTimerTable: Sendable {
  package struct Entry: Sendable {
    package let number: Int
    /// The delay in microseconds.
    package let delay: Int
    package let slot: CanonicalState.Part
    /// The part with the order among timers of that delay; nil if no two of them can be pending.
    fileprivate(set) var order: CanonicalState.Part?
    fileprivate let name: Name
  }

  /// The identity of a timer among those of its state.
  fileprivate struct Name: Hashable {
    /// The action that is due; nil for a timed transition.
    let action: String?
    /// The number of its transition among the timed ones of its state.
    let transition: Int?
    let repeats: Bool

    init(_ action: String, transition: Int?, repeats: Bool) {
      self.action = transition == nil ? action : nil
      (self.transition, self.repeats) = (transition, repeats)
    }
  }

  private var entries: [ActiveState: [Entry]] = [:]
  /// The parts that the timers of a state affect.
  private var partsOfStates: [ActiveState: [CanonicalState.Part]] = [:]
  /// All parts that contain timers.
  package private(set) var parts: [CanonicalState.Part] = [.timers]

  /// Creates a table without entries: all timers are in one part.
  package init() {}

  /// - Parameter upTo: the greatest time that passes, in microseconds; nil if time is not bounded.
  package init(_ machines: [Machine], upTo: Int?) {
    // Due times after the end of time are all equal to it, and so have no order.
    let longest = EngineTime.last / 4
    if let upTo, upTo > longest { return }
    var count = 0
    for machine in machines where machine.records == nil {
      let states = machine.chart.states
      for state in states where !state.timers.isEmpty {
        let slot = StateTimerSlot(
          machine: machine.name, region: Int(state.region),
          depth: StateTimerTable.depth(of: state, in: states))
        var timers: [Entry] = []
        for (name, delay) in StateTimerTable.delays(of: state)
        where delay > 0 && delay <= longest {
          timers.append(Entry(number: count, delay: delay, slot: .stateTimers(slot), name: name))
          count += 1
        }
        // Two timers of one name cannot be distinguished.
        if timers.isEmpty || Set(timers.map(\.name)).count < timers.count { continue }
        entries[ActiveState(machine: machine.name, state: state.path)] = timers
      }
    }
    setParts()
  }

  private static func depth(of state: Chart.State, in states: [Chart.State]) -> Int {
    var (depth, parent) = (0, state.parent)
    while parent >= 0 {
      depth += 1
      parent = states[Int(parent)].parent
    }
    return depth
  }

  /// Returns the timers of a state whose delays are written in the flow.
  private static func delays(of state: Chart.State) -> [(Name, Int)] {
    var transitions = 0
    var delays: [(Name, Int)] = []
    for timer in state.timers {
      let name: Name
      switch timer.due {
      case .action(let action): name = Name(action, transition: nil, repeats: timer.repeats)
      case .transition:
        name = Name("", transition: transitions, repeats: timer.repeats)
        transitions += 1
      }
      if case .seconds(let seconds) = timer.delay {
        delays.append((name, EngineTime.microseconds(seconds)))
      }
    }
    return delays
  }

  private mutating func setParts() {
    var slots: [Int: Set<CanonicalState.Part>] = [:]
    var ordered: Set<Int> = []
    for timers in entries.values {
      // At most one state of a slot is active.
      for timer in timers { slots[timer.delay, default: []].insert(timer.slot) }
      let delays = timers.map(\.delay)
      for delay in Set(delays) where delays.count(where: { $0 == delay }) > 1 {
        ordered.insert(delay)
      }
    }
    for (delay, slots) in slots where slots.count > 1 { ordered.insert(delay) }
    var all: Set<CanonicalState.Part> = []
    for (state, timers) in entries {
      let timers = timers.map { timer in
        var timer = timer
        if ordered.contains(timer.delay) { timer.order = .timerOrder(delay: timer.delay) }
        return timer
      }
      entries[state] = timers
      let parts = Set(timers.map(\.slot) + timers.compactMap(\.order))
      partsOfStates[state] = [.timers] + parts.sorted()
      all.formUnion(parts)
    }
    parts = [.timers] + all.sorted()
  }

  package var isEmpty: Bool { entries.isEmpty }

  /// Returns the entry of a pending timer; nil if it has no part of its own.
  package func entry(of timer: PendingTimer) -> Entry? {
    guard case .state(let state) = timer.owner, let action = timer.action,
      let entries = entries[state]
    else { return nil }
    let name = Name(action.name, transition: action.transition, repeats: timer.every != nil)
    return entries.first { $0.name == name }
  }

  /// Returns the parts that are read and written when a state's timers are stopped.
  package func parts(stopping state: ActiveState) -> [CanonicalState.Part] {
    partsOfStates[state] ?? [.timers]
  }

  /// Returns the parts that are read and written when a timer of a state is set.
  func parts(setting delay: StateDelay) -> [CanonicalState.Part] {
    guard case .state(let state) = delay.owner, let entries = entries[state] else { return parts }
    let name = Name(delay.name, transition: delay.transition, repeats: delay.repeats)
    return entries.contains { $0.name == name } ? parts(stopping: state) : parts
  }
}
