import StateCharts

/// Transitions: their targets, and the expansion of wildcards.
extension ChartBuilder {
  /// The maximum number of copies of transitions that wildcards may create, in all states together.
  static let mostCopies = 1_000_000

  /// Transitions by action.
  typealias Transitions = [String: [Chart.Transition]]

  /// The position of a transition: the state in whose table it is listed, and the keys in that table.
  private struct Listing {
    let source: Chart.StateNumber
    /// The keys in the table: `["*"]`, or none.
    var keys: DeclarationLines.Path = []

    /// Returns the text before the name of the action in a sentence.
    func prefix(in chart: Chart) -> String {
      let path = chart.states[Int(source)].path
      return (path.isEmpty ? "" : path + ".") + (keys.isEmpty ? "" : "*.")
    }
  }

  /// Gathers the actions that the machine has transitions for.
  mutating func nameActions() {
    var found: Set<String> = []
    for state in noted {
      for listed in state.listed + state.everywhere {
        guard let prefix = listed.prefix else {
          found.insert(listed.action)
          continue
        }
        if !prefix.isEmpty { found.formUnion(actions(beginningWith: prefix)) }
      }
      found.formUnion(state.postponed)
    }
    named = found.sorted()
  }

  mutating func readTransitions(of number: Chart.StateNumber) {
    let parent = chart.states[Int(number)].parent
    var transitions = expand(noted[Int(number)].listed, Listing(source: number))
    postpone(in: number, &transitions)
    if parent >= 0, !noted[Int(number)].isFinal {
      for (action, everywhere) in transitionsEverywhere(in: parent) where transitions[action] == nil
      {
        transitions[action] = copy(everywhere, to: number)
      }
    }
    chart.states[Int(number)].transitions = transitions.sorted { $0.key < $1.key }.flatMap(\.value)
  }

  /// Adds a transition that postpones each postponed action, after the transitions that the state lists for it.
  ///
  /// Reports a fault if the state is final, or if a listed transition without a guard always takes the action.
  private mutating func postpone(in number: Chart.StateNumber, _ transitions: inout Transitions) {
    for action in noted[Int(number)].postponed {
      let name = nameOf(number)
      if noted[Int(number)].isFinal {
        fault(
          number, at: [.field("postpone")],
          "\(name) is final and never left, so \(action) would wait forever")
      }
      if transitions[action]?.contains(where: { $0.condition == nil }) == true {
        fault(
          number, at: [.field("postpone")],
          "\(name) lists \(action) without a condition, so it never postpones it")
      }
      var postponing = Chart.Transition(
        source: number, trigger: .action(action), targets: [], reach: .forbids,
        refusal: "\(action) is postponed until \(name) is left",
        place: Chart.Place(
          lines.place(
            ofFirst: [chart.keys(of: number) + [.field("postpone")]], in: "machine",
            named: note.name, at: place)))
      postponing.postpones = true
      transitions[action, default: []].append(postponing)
    }
  }

  /// Returns the transitions that a table lists for all states in it, which are computed once.
  private mutating func transitionsEverywhere(in table: Chart.StateNumber) -> Transitions {
    if let known = everywhere[table] { return known }
    let listed = noted[Int(table)].everywhere
    let transitions =
      listed.isEmpty ? [:] : expand(listed, Listing(source: table, keys: [.field("*")]))
    everywhere[table] = transitions
    return transitions
  }

  /// Returns the transitions for each action: its own first, then those of longer prefixes, then those of "*".
  private mutating func expand(_ listed: [MachineDeclaration.Listed], _ listing: Listing)
    -> Transitions
  {
    var transitions: Transitions = [:]
    for each in listed where each.prefix == nil {
      transitions[each.action] = self.transitions(
        each.transitions, .action(each.action), listing, at: [.field(each.action)], each.action)
    }
    let wildcards = listed.filter { $0.prefix != nil }
      .sorted { ($1.action.count, $0.action) < ($0.action.count, $1.action) }
    for each in wildcards {
      guard let prefix = each.prefix else { continue }
      let names = prefix.isEmpty ? named[...] : actions(beginningWith: prefix)
      let pattern = self.transitions(
        each.transitions, .action(each.action), listing, at: [.field(each.action)], each.action)
      if names.isEmpty, !prefix.isEmpty {
        fault(
          listing.source, at: listing.keys + [.field(each.action)],
          "there is no action that begins with \(prefix)")
      }
      for name in names {
        transitions[name, default: []] += copy(pattern, to: listing.source, for: name)
      }
    }
    return transitions
  }

  /// Counts copies of transitions; reports a fault and returns false if there are too many.
  private mutating func canCopy(_ count: Int) -> Bool {
    copies += count
    if copies <= ChartBuilder.mostCopies { return true }
    if copies - count <= ChartBuilder.mostCopies {
      fault(
        0, at: [],
        "its wildcards and the transitions of its final states expand to more than "
          + "\(ChartBuilder.mostCopies) transitions")
    }
    return false
  }

  /// Copies transitions to another state, or for another action.
  private mutating func copy(
    _ transitions: [Chart.Transition], to state: Chart.StateNumber, for action: String? = nil
  ) -> [Chart.Transition] {
    guard canCopy(transitions.count) else { return [] }
    for transition in transitions {
      for target in transition.targets where transition.source != state {
        guard let (owner, region) = crossed(from: state, to: target) else { continue }
        fault(
          transition.source, at: [.field("*")],
          "* leads from one region of \(nameOf(owner)) into another; list it in \(region)")
        return []
      }
    }
    return transitions.map { transition in
      var copied = transition
      if transition.targets.isEmpty, transition.reach == .reenters { copied.targets = [state] }
      copied.source = state
      copied.isFromWildcard = true
      if let action { copied.trigger = .action(action) }
      return copied
    }
  }

  // MARK: One way

  private mutating func transitions(
    _ noted: [MachineDeclaration.Transition], _ trigger: Chart.Trigger, _ listing: Listing,
    at keys: DeclarationLines.Path, _ name: String
  ) -> [Chart.Transition] {
    noted.enumerated().compactMap { position, each in
      transition(
        each, trigger, listing, at: listing.keys + keys + [.index(position + 1)],
        listing.prefix(in: chart) + name)
    }
  }

  private mutating func transition(
    _ noted: MachineDeclaration.Transition, _ trigger: Chart.Trigger, _ listing: Listing,
    at keys: DeclarationLines.Path, _ title: String
  ) -> Chart.Transition? {
    var targets: [Chart.StateNumber] = []
    for (position, path) in noted.targets.enumerated() {
      guard let target = lookUp(path, from: listing.source) else {
        fault(
          listing.source, at: keys + [.field("to"), .index(position + 1)],
          "\(title) leads to \(path), which is not a state of this machine" + suggestion(for: path))
        return nil
      }
      targets.append(target)
    }
    guard fits(targets, listing, at: keys, title, noted) else { return nil }
    // If the transition stands for several states, each of them is reentered.
    if targets.isEmpty, noted.reenters, listing.keys.isEmpty { targets = [listing.source] }
    var transition = Chart.Transition(
      source: listing.source, trigger: trigger, condition: keep(noted.condition), targets: targets,
      reach: noted.forbids
        ? .forbids : noted.reenters ? .reenters : targets.isEmpty ? .stays : .inner,
      history: noted.history.map { $0 == "deep" ? .deep : .shallow }, content: keep(noted.reducer),
      refusal: noted.refusal,
      place: noted.refusal == nil ? chart.place : place(ofRefusalAt: keys, of: listing.source))
    transition.restarts = noted.restarts
    return transition
  }

  /// Returns the place of a transition's `refuse`, which is shown to those who are refused.
  private func place(
    ofRefusalAt keys: DeclarationLines.Path, of source: Chart.StateNumber
  ) -> Chart.Place {
    // A single transition without a list is itself the value of its action.
    let paths = [keys, keys.dropLast()].map { chart.keys(of: source) + $0 + [.field("refuse")] }
    return Chart.Place(lines.place(ofFirst: paths, in: "machine", named: note.name, at: place))
  }

  /// Returns true if a transition may lead from its state to the targets, and to all of them at once.
  private mutating func fits(
    _ targets: [Chart.StateNumber], _ listing: Listing, at keys: DeclarationLines.Path,
    _ title: String, _ noted: MachineDeclaration.Transition
  ) -> Bool {
    for target in targets {
      if let (owner, region) = crossed(from: listing.source, to: target) {
        fault(
          listing.source, at: keys + [.field("to")],
          "\(title) leads from one region of \(nameOf(owner)) into another; list it in \(region)")
        return false
      }
      if noted.history != nil, chart.states[Int(target)].last == target {
        fault(
          listing.source, at: keys + [.field("history")],
          "\(title): history needs states inside \(nameOf(target)), and it has "
            + "none")
        return false
      }
    }
    let sorted = targets.sorted()
    for (first, second) in zip(sorted, sorted.dropFirst()) {
      let around = chart.around(first, second)
      if around != first, around != second, chart.states[Int(around)].kind == .parallel { continue }
      fault(
        listing.source, at: keys + [.field("to")],
        "\(title) leads to \(nameOf(first)) and \(nameOf(second)) at once, which are not in two "
          + "regions of one parallel state")
      return false
    }
    return true
  }

  /// Returns the parallel state between whose regions a transition would lead, and the name of the target region.
  private func crossed(
    from source: Chart.StateNumber, to target: Chart.StateNumber
  ) -> (Chart.StateNumber, String)? {
    let around = chart.around(source, target)
    guard around != source, around != target, chart.states[Int(around)].kind == .parallel else {
      return nil
    }
    var region = target
    while chart.states[Int(region)].parent != around { region = chart.states[Int(region)].parent }
    return (around, chart.states[Int(region)].name)
  }

  package func nameOf(_ state: Chart.StateNumber) -> String {
    state == 0 ? note.name : chart.states[Int(state)].path
  }

  // MARK: Eventless transitions and timers

  /// Reads the eventless and completion transitions of a state.
  ///
  /// Eventless transitions of the outermost level apply in all states but the final ones. So if it has final
  /// states, the others get copies.
  mutating func readMoves(of number: Chart.StateNumber) {
    let state = noted[Int(number)]
    let listing = Listing(source: number)
    let done = transitions(state.onDone ?? [], .done, listing, at: [.field("on_done")], "on_done")
    var always = transitions(state.always, .always, listing, at: [.field("always")], "always")
    if number == 0 && hasFinalStates {
      outermost = always
      always = []
    } else if number > 0, chart.states[Int(number)].parent == 0, !state.isFinal {
      always += copy(outermost, to: number)
    }
    chart.states[Int(number)].transitions += done + always
  }

  /// True if a state of the outermost level is final.
  private var hasFinalStates: Bool {
    inside[0].values.contains { chart.states[Int($0)].kind == .final }
  }

  mutating func readTimers(of number: Chart.StateNumber) {
    for timer in noted[Int(number)].timers {
      let position = chart.states[Int(number)].timers.count
      let delay: Chart.Timer.Delay =
        if let function = keep(timer.workedOut) { .workedOut(function) } else {
          .seconds(timer.seconds)
        }
      chart.states[Int(number)].timers.append(
        Chart.Timer(
          delay: delay, repeats: timer.repeats,
          due: timer.action.map { .action($0) } ?? .transition,
          place: chart.place))
      chart.states[Int(number)].transitions += transitions(
        timer.transitions, .timer(position), Listing(source: number),
        at: [.field(timer.word), .index(timer.position), .index(2)],
        "\(timer.word)[\(timer.position)]")
    }
  }

  /// Reports restarts of timers that the state does not have, and transitions that end the timers anyway.
  mutating func checkRestarts(of number: Chart.StateNumber) {
    let state = chart.states[Int(number)]
    for transition in state.transitions {
      guard let restarts = transition.restarts else { continue }
      let known = state.timers.compactMap { timer -> String? in
        if case .action(let action) = timer.due { action } else { nil }
      }
      if transition.reach == .reenters
        || !transition.targets.allSatisfy({ chart.contains(number, $0) })
      {
        fault(
          number, at: [],
          "\(nameOf(number)): restart_timer needs a transition that stays in \(nameOf(number)); "
            + "entering a state starts its timers anyway")
      }
      if state.timers.isEmpty {
        fault(
          number, at: [],
          "\(nameOf(number)): restart_timer needs a timer here: declare one with after or every")
        continue
      }
      guard case .actions(let actions) = restarts else { continue }
      for action in actions where !known.contains(action) {
        var keys: DeclarationLines.Path = []
        if case .action(let name) = transition.trigger {
          keys = [.field(name), .index(1), .field("restart_timer")]
        }
        fault(
          number, at: keys,
          "\(nameOf(number)): restart_timer: no timer here dispatches \(action)"
            + Names.suggestion(for: action, among: known))
      }
    }
  }

  /// Ensures that transitions of the outermost level do not leave its final states.
  mutating func leaveFinalStates() {
    guard hasFinalStates else { return }
    let actions = Set(
      chart.states[0].transitions.compactMap { transition in
        if case .action(let name) = transition.trigger { name } else { nil }
      }
    ).sorted()
    for number in inside[0].values.sorted() where chart.states[Int(number)].kind == .final {
      guard canCopy(actions.count) else { return }
      chart.states[Int(number)].transitions += actions.map {
        Chart.Transition(
          source: number, trigger: .action($0), targets: [], reach: .forbids, place: chart.place,
          isFromWildcard: true)
      }
    }
  }
}
