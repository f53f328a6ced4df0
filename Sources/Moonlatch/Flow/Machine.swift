import LuaRuntime

/// A machine: a state variable and the table that says which actions move it where.
///
/// This is the chart as such. It knows nothing of the table that it was read from
/// (`MachineReader`), so that another reader can build the same chart.
package struct Machine: Sendable {
  /// A named state.
  package struct State: Sendable {
    package let name: String
    /// Action's name -> where it leads from here, tried in order.
    package var transitions: [String: [Target]]
    package var timers: [Delay]
    package var onEnter: FlowFunction?
    package var onExit: FlowFunction?
    package let isFinal: Bool
    /// The name as a Lua string.
    package var reference = LuaReference(number: 0)
  }

  /// Where a transition leads, and when.
  package struct Target: Sendable {
    package let state: Int
    package let guardRule: FlowFunction?
    package let reenters: Bool
  }

  /// An action that is due some time after the state was entered.
  package struct Delay: Sendable {
    package let action: String
    package let time: Time

    package enum Time: Sendable {
      case seconds(Double)
      case workedOut(FlowFunction)
    }
  }

  package let name: String
  package let place: SourcePlace
  package var states: [State]
  package let initial: Int
  /// For each action the states in which it is possible, in their order.
  package let takers: [String: [Int]]
  /// The name as a Lua string.
  package var reference = LuaReference(number: 0)

  init(name: String, place: SourcePlace, states: [State], initial: Int) {
    self.name = name
    self.place = place
    self.states = states
    self.initial = initial
    var takers: [String: [Int]] = [:]
    for (index, state) in states.enumerated() {
      for action in state.transitions.keys { takers[action, default: []].append(index) }
    }
    self.takers = takers
  }

  package var title: String { "machine \(name)" }

  package func index(of state: String) -> Int? { states.firstIndex { $0.name == state } }

  /// The names of the states in which the action is possible, sorted.
  package func states(taking action: String) -> [String] {
    (takers[action] ?? []).map { states[$0].name }.sorted()
  }

  /// The names of the states to which no way leads from the initial one, sorted.
  package var unreachable: [String] {
    var reached: Set<Int> = [initial]
    var open = [initial]
    while let at = open.popLast() {
      for target in states[at].transitions.values.joined()
      where reached.insert(target.state).inserted {
        open.append(target.state)
      }
    }
    return states.indices.filter { !reached.contains($0) }.map { states[$0].name }.sorted()
  }

  package func names(_ action: String) -> Bool { takers[action] != nil }
}
