import FlowLanguage
import LuaRuntime

/// Drawings of machines without nested states; transitions from all states to the same one are drawn once.
extension FlowDrawing.Chart {
  init(flat machine: Machine, use: StateUse) {
    name = machine.name
    let order = FlowDrawing.Chart.order(of: machine)
    states = order.map { index in
      let state = machine.states[index]
      return State(
        name: state.name, isInitial: index == machine.initial, isFinal: state.isFinal,
        notes: [("on_enter", state.onEnter), ("on_exit", state.onExit)].compactMap {
          word, function in
          function.map { function in
            let fields = use.fieldsWritten(by: function).map { $0 ?? "s[...]" }.sorted()
            return fields.isEmpty ? word : "\(word): \(fields.joined(separator: ", "))"
          }
        })
    }
    let places = Dictionary(
      order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    func place(_ index: Int) -> Int { places[index] ?? 0 }
    let everywhere = FlowDrawing.Chart.everywhere(machine)
    var arrows: [Arrow] = []
    var arrowAt: [[End]: Int] = [:]
    func add(_ action: String, _ label: String, from: End, to: Int) {
      let to = End.state(to)
      if let index = arrowAt[[from, to]] {
        arrows[index].labels.append(label)
        arrows[index].actions.insert(action)
      } else {
        arrowAt[[from, to]] = arrows.count
        arrows.append(Arrow(from: from, to: to, labels: [label], actions: [action]))
      }
    }
    for (action, target) in everywhere.sorted(by: { $0.key < $1.key }) {
      add(action, action, from: .any(nil), to: place(target))
    }
    for index in order {
      let state = machine.states[index]
      let timers = Dictionary(
        state.timers.map { ($0.action, $0) }, uniquingKeysWith: { first, _ in first })
      for (action, targets) in state.transitions.sorted(by: { $0.key < $1.key })
      where everywhere[action] == nil {
        let time = timers[action].map(FlowDrawing.Chart.text)
        for (order, target) in targets.enumerated() {
          add(
            action,
            FlowDrawing.Chart.label(
              action, target, order: targets.count > 1 ? order + 1 : nil, time: time),
            from: .state(place(index)), to: place(target.state))
        }
      }
    }
    self.arrows = arrows
  }

  /// Returns the states in the order in which they are reached from the initial one, then the unreachable ones.
  private static func order(of machine: Machine) -> [Int] {
    var order = [machine.initial]
    var seen: Set<Int> = [machine.initial]
    var next = 0
    while next < order.count {
      let transitions = machine.states[order[next]].transitions.sorted { $0.key < $1.key }
      for target in transitions.flatMap(\.value) where seen.insert(target.state).inserted {
        order.append(target.state)
      }
      next += 1
    }
    return order + machine.states.indices.filter { !seen.contains($0) }
  }

  /// Returns the actions that lead from all non-final states, at least three, to the same state.
  private static func everywhere(_ machine: Machine) -> [String: Int] {
    let open = machine.states.filter { !$0.isFinal }
    guard open.count >= 3 else { return [:] }
    let timed = Set(open.lazy.flatMap(\.timers).map(\.action))
    var found: [String: Int] = [:]
    for (action, targets) in open[0].transitions {
      guard let target = targets.first?.state, !timed.contains(action),
        open.allSatisfy({ state in
          guard let targets = state.transitions[action], targets.count == 1 else { return false }
          return targets[0].state == target && targets[0].guardRule == nil && !targets[0].reenters
        })
      else { continue }
      found[action] = target
    }
    return found
  }

  private static func label(
    _ action: String, _ target: Machine.Target, order: Int?, time: String?
  ) -> String {
    var label = action
    if target.guardRule != nil { label += " [when]" } else if order != nil { label += " [else]" }
    if target.reenters { label += " (reenter)" }
    if let time { label += "\n\(time)" }
    return label
  }

  private static func text(_ delay: Machine.Delay) -> String {
    switch delay.time {
    case .workedOut: "after a while"
    case .seconds(let seconds): "after \(DurationText.text(seconds))"
    }
  }
}
