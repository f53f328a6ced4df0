import LuaRuntime
import StateCharts

/// Returns a machine with nested states as a tree of its active states.
extension Engine {
  /// A line of the tree.
  package struct TreeLine: Sendable, Hashable {
    /// The number of regions around it.
    package let depth: Int
    /// The region's field or the machine's name, followed by the active state in `text`; nil for a listed transition.
    package let heading: String?
    package let text: String
    /// The state that lists it; nil for the innermost state.
    package let from: String?
    /// The number of seconds until it is due, if it is a timer.
    package var due: Double?
  }

  /// Returns each active region with its state, and below it the transitions of its innermost state, then of the states
  /// around it.
  ///
  /// - Parameter keys: the keys of the machine's record; empty for a machine of the state.
  package func tree(
    of machine: LoadedMachine, at configuration: [ChartInterpreter.LeafNumber], keys: [Value] = []
  ) -> [TreeLine] {
    var lines: [TreeLine] = []
    let pending = Dictionary(grouping: caseState.timers.pending, by: \.owner)
    // Lines below a region come between its heading and its own transitions.
    var open: [(region: Int, depth: Int, isListed: Bool)] = [(0, 0, false)]
    while let (region, depth, isListed) = open.popLast() {
      let leafNumber = configuration[region]
      guard leafNumber >= 0 else { continue }
      let state = machine.chart.leafStates[Int(leafNumber)]
      let isParallel = machine.chart.nodes[Int(state)].kind == .parallel
      if !isListed {
        let value =
          machine.chart.chart.regions[region].field == nil ? "" : machine.value(of: leafNumber)
        let name =
          region == 0
          ? machine.active(0, keys: keys).owner : machine.name(ofRegion: Int32(region))
        lines.append(TreeLine(depth: depth, heading: name, text: value ?? "", from: nil))
        open.append((region, depth, true))
        let inner = machine.chart.children(of: state).map {
          Int(machine.chart.nodes[Int($0)].region)
        }
        if isParallel { open += inner.reversed().map { ($0, depth + 1, false) } }
        continue
      }
      var decided: Set<Chart.Trigger> = []
      var around = state
      while around >= machine.chart.heads[region] {
        let texts = listed(by: around, of: machine, keys, &decided, pending)
        // A parallel state is no region's innermost state: the states inside it come first.
        let isInnermost = around == state && !isParallel
        let name = around == 0 ? machine.name : machine.chart.chart.states[Int(around)].name
        lines += texts.map {
          TreeLine(
            depth: depth + 1, heading: nil, text: $0.text, from: isInnermost ? nil : name,
            due: $0.due)
        }
        around = machine.chart.nodes[Int(around)].parent
      }
    }
    return lines
  }

  /// Returns the transitions of a state that no inner state overrides, and its timers, as lines.
  private func listed(
    by state: ChartInterpreter.StateNumber, of machine: LoadedMachine, _ keys: [Value],
    _ decided: inout Set<Chart.Trigger>, _ pending: [PendingTimer.Owner: [PendingTimer]]
  ) -> [(text: String, due: Double?)] {
    let listing = machine.chart.chart.states[Int(state)]
    var texts: [String] = []
    var grouped: [(trigger: Chart.Trigger, transitions: [Chart.Transition])] = []
    for transition in listing.transitions where !decided.contains(transition.trigger) {
      if grouped.last?.trigger == transition.trigger {
        grouped[grouped.count - 1].transitions.append(transition)
      } else {
        grouped.append((transition.trigger, [transition]))
      }
    }
    for (trigger, transitions) in grouped {
      if transitions.contains(where: { $0.condition == nil }) { decided.insert(trigger) }
      // Refusals of the whole machine in its final states are no transitions of those states.
      if listing.kind == .final, transitions.allSatisfy({ $0.reach == .forbids }) { continue }
      let name = flow.machines[machine.index].text(of: trigger, in: state)
      texts.append(text(of: transitions, named: name, in: machine, keys))
    }
    var lines: [String] = []
    for text in texts {
      if let last = lines.last, last.count + text.count < 60 {
        lines[lines.count - 1] = "\(last), \(text)"
      } else {
        lines.append(text)
      }
    }
    let timers = pending[machine.owner(of: state, keys: keys)] ?? []
    for timer in pending[.postponed(machine.active(state, keys: keys))] ?? [] {
      if let action = timer.action { lines.append("\(action.name) waits until it is left") }
    }
    return lines.map { ($0, nil) }
      + timers.map { timer in
        let due = EngineTime.seconds(timer.due - time)
        guard case .action(let action) = timer.event else { return ("a transition is due", due) }
        // The title of a timed transition ends with its state, which the line shows already.
        let place = " in \(machine.active(state, keys: keys).title)"
        let isTimedWay = action.transition != nil && action.name.hasSuffix(place)
        return (
          "\(isTimedWay ? String(action.name.dropLast(place.count)) : action.name) is due", due
        )
      }
  }

  /// Returns a line such as `pay -> paid or refused`, `edit stays` or `start is refused: not ready`.
  private func text(
    of transitions: [Chart.Transition], named name: String, in machine: LoadedMachine,
    _ keys: [Value]
  ) -> String {
    var targets: [String] = []
    for transition in transitions where !transition.targets.isEmpty {
      let names = transition.targets.map { target -> String in
        let around = machine.chart.chart.around(transition.source, target)
        let above = around == target ? machine.chart.nodes[Int(target)].parent : around
        let prefix = above <= 0 ? 0 : machine.chart.chart.states[Int(above)].path.utf8.count + 1
        let path = machine.chart.chart.states[Int(target)].path
        return String(path.utf8.dropFirst(prefix)) ?? path
      }
      targets.append(names.joined(separator: " and ") + asItWasLeft(transition, in: machine, keys))
    }
    let stays = transitions.contains { $0.reach == .stays }
    if targets.isEmpty {
      if stays { return "\(name) stays" }
      if transitions.contains(where: \.postpones) { return "\(name) is postponed" }
      let reason = transitions.compactMap(\.refusal).first
      return "\(name) is refused" + (reason.map { ": \($0)" } ?? "")
    }
    return "\(name) -> \(targets.joined(separator: " or "))" + (stays ? ", or stays" : "")
      + (transitions.contains(where: \.postpones) ? ", or is postponed" : "")
  }

  /// Returns a text such as ` as it was left (transport.playing.fast, sound.muted)` for a transition to a history
  /// state.
  private func asItWasLeft(
    _ transition: Chart.Transition, in machine: LoadedMachine, _ keys: [Value]
  ) -> String {
    guard let history = transition.history, let target = transition.targets.first else { return "" }
    let above = machine.chart.chart.states[Int(target)].path.utf8.count + 1
    let kept = historyValues(of: machine, keys: keys).first {
      $0.state == target && $0.isDeep == (history == .deep)
    }
    let inside = (kept?.inside ?? []).map { String($0.utf8.dropFirst(above)) ?? $0 }
    return inside.isEmpty ? "" : " as it was left (\(inside.joined(separator: ", ")))"
  }
}
