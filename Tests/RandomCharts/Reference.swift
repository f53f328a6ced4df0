import StateCharts

/// Appendix D of the SCXML recommendation, transliterated with sets and lists.
///
/// It is slow, and plainly right. The names are the appendix's
/// (https://www.w3.org/TR/scxml/#AlgorithmforSCXMLInterpretation).
///
/// It differs from the appendix only in these points. A state that is active is never entered again, which a transition
/// to a history could demand. The outermost state is in the configuration. In charts of the flow language, the states
/// that a transition exits, `on_done`, refusals that end the search, and history follow that language.
struct Reference {
  typealias State = Chart.StateNumber

  struct Transition: Hashable {
    let source: State
    let index: Int
  }

  struct Kept: Hashable {
    let state: State
    let depth: Chart.Depth
  }

  /// The cause of a selection of transitions.
  enum Cause {
    case event(String)
    case eventless
  }

  let chart: Chart
  let rules: QtRules
  var configuration: Set<State> = []
  var historyValue: [Kept: Set<State>] = [:]
  var exited: [State] = []
  var entered: [State] = []
  private(set) var statesForDefaultEntry: Set<State> = []
  /// The histories through which their parents are entered, if they have no value.
  private(set) var defaultHistory: [State: State] = [:]
  private var statesToEnter: Set<State> = []

  /// A moment at which content of a document runs.
  enum Moment {
    case exits(State)
    case takes(Transition)
    case enters(State)
  }

  /// A function that runs the content of a moment, with the reference as it is at that moment.
  typealias Content = (Moment, Reference) -> Void

  init(_ chart: Chart, _ rules: QtRules = [], _ runs: Content = { _, _ in }) {
    (self.chart, self.rules) = (chart, rules)
    addDescendantStatesToEnter(0)
    enterStates(runs)
  }

  // MARK: Relations

  func isDescendant(_ state: State, _ ancestor: State) -> Bool {
    var above = chart.states[Int(state)].parent
    while above >= 0 {
      if above == ancestor { return true }
      above = chart.states[Int(above)].parent
    }
    return false
  }

  func isIn(_ state: State, _ ancestor: State) -> Bool {
    state == ancestor || isDescendant(state, ancestor)
  }

  /// Returns the ancestors from the parent outwards, up to but not including `end`.
  func properAncestors(_ state: State, _ end: State = -1) -> [State] {
    var found: [State] = []
    var above = chart.states[Int(state)].parent
    while above >= 0, above != end {
      found.append(above)
      above = chart.states[Int(above)].parent
    }
    return found
  }

  func children(_ state: State) -> [State] {
    chart.states.indices.map(State.init).filter {
      chart.states[Int($0)].parent == state && !isHistory($0)
    }
  }

  func isHistory(_ state: State) -> Bool {
    if case .history = chart.states[Int(state)].kind { return true }
    return false
  }

  func isCompound(_ state: State) -> Bool { chart.states[Int(state)].kind == .compound }
  func isParallel(_ state: State) -> Bool { chart.states[Int(state)].kind == .parallel }
  func isAtomic(_ state: State) -> Bool {
    [.atomic, .final].contains(chart.states[Int(state)].kind)
  }

  func isInFinalState(_ state: State) -> Bool {
    if isCompound(state) {
      return children(state).contains {
        chart.states[Int($0)].kind == .final && configuration.contains($0)
      }
    }
    return isParallel(state) && children(state).allSatisfy(isInFinalState)
  }

  func chartTransition(_ transition: Transition) -> Chart.Transition {
    chart.states[Int(transition.source)].transitions[transition.index]
  }

  // MARK: Selection

  /// Returns the transition that each leaf selects, in order, and the last refusal of each leaf that selects none.
  func selectTransitions(
    _ cause: Cause, inside: State, agrees: (Chart.Transition) -> Bool
  ) -> (enabled: [Transition], refused: [Transition]) {
    var (enabled, refused): ([Transition], [Transition]) = ([], [])
    for leaf in configuration.filter(isAtomic).sorted() where isIn(leaf, inside) {
      var last: Transition?
      var isFound = false
      search: for state in [leaf] + properAncestors(leaf) {
        for transition in transitions(of: state, cause) {
          let chartTransition = chartTransition(transition)
          let isAgreed = chartTransition.condition == nil || agrees(chartTransition)
          if !isAgreed || chartTransition.reach == .forbids { last = transition }
          guard isAgreed else { continue }
          isFound = chartTransition.reach != .forbids
          if isFound, !enabled.contains(transition) { enabled.append(transition) }
          break search
        }
      }
      if !isFound, let last { refused.append(last) }
    }
    return (enabled, refused)
  }

  private func transitions(of state: State, _ cause: Cause) -> [Transition] {
    let transitions = chart.states[Int(state)].transitions
    let all = transitions.indices.map { Transition(source: state, index: $0) }
    switch cause {
    case .event(let name):
      return all.filter { Reference.matches(transitions[$0.index].trigger, name) }
    case .eventless:
      let done = all.filter { transitions[$0.index].trigger == .done && isInFinalState(state) }
      let always = all.filter { transitions[$0.index].trigger == .always }
      guard chart.dialect == .flow else { return always }
      return (done + always).filter { transition in
        let targets = transitions[transition.index].targets
        return targets.isEmpty || !targets.allSatisfy(configuration.contains)
      }
    }
  }

  static func matches(_ trigger: Chart.Trigger, _ name: String) -> Bool {
    switch trigger {
    case .action(let action): return action == name
    case .events(let descriptors):
      return descriptors.contains { descriptor in
        if descriptor == "*" { return true }
        let tokens = descriptor.split(separator: ".").filter { $0 != "*" }
        return name.split(separator: ".").starts(with: tokens)
      }
    default: return false
    }
  }

  func removeConflictingTransitions(_ enabled: [Transition]) -> [Transition] {
    var filtered: [Transition] = []
    for t1 in rules.contains(.deeperFirst) ? sortedByDepth(enabled) : enabled {
      var isPreempted = false
      var toRemove: [Transition] = []
      for t2 in filtered where !computeExitSet([t1]).isDisjoint(with: computeExitSet([t2])) {
        if isDescendant(t1.source, t2.source) {
          toRemove.append(t2)
        } else {
          isPreempted = true
          break
        }
      }
      if !isPreempted {
        filtered.removeAll(where: toRemove.contains)
        filtered.append(t1)
      }
    }
    return filtered
  }

  private func sortedByDepth(_ enabled: [Transition]) -> [Transition] {
    enabled.sorted { one, other in
      let depths = (properAncestors(one.source).count, properAncestors(other.source).count)
      return (depths.1, one.source, one.index) < (depths.0, other.source, other.index)
    }
  }

  // MARK: Domains

  /// A domain of a transition, which is exited with its top state (`withTop`) or without it, and the targets inside.
  private struct Domain {
    let top: State
    let withTop: Bool
    let targets: [State]
    let history: Chart.Depth?
  }

  private func domains(_ transition: Transition) -> [Domain] {
    let chartTransition = chartTransition(transition)
    guard !chartTransition.targets.isEmpty, chartTransition.reach != .stays,
      chartTransition.reach != .forbids
    else { return [] }
    if chartTransition.reach == .external || chartTransition.reach == .internal {
      let top = getTransitionDomain(chartTransition)
      return [Domain(top: top, withTop: false, targets: chartTransition.targets, history: nil)]
    }
    let reenters = chartTransition.reach == .reenters
    if !reenters, chartTransition.targets.allSatisfy(configuration.contains) { return [] }
    let top = ([chartTransition.source] + properAncestors(chartTransition.source)).first { around in
      chartTransition.targets.allSatisfy { isIn($0, around) }
    }
    guard let top else { return [] }
    guard top == chartTransition.source, isParallel(top), chartTransition.targets != [top] else {
      let withTop = reenters && top != 0
      return [
        Domain(
          top: top, withTop: withTop, targets: chartTransition.targets,
          history: chartTransition.history)
      ]
    }
    return chartTransition.targets.filter { reenters || !configuration.contains($0) }.map {
      target in
      var part = top
      while isParallel(part), part != target {
        part = children(part).first { isIn(target, $0) } ?? target
      }
      return Domain(
        top: part, withTop: reenters, targets: [target], history: chartTransition.history)
    }
  }

  private func getTransitionDomain(_ chartTransition: Chart.Transition) -> State {
    let targets = getEffectiveTargetStates(chartTransition.targets)
    if chartTransition.reach == .internal, isCompound(chartTransition.source),
      targets.allSatisfy({ isDescendant($0, chartTransition.source) })
    {
      return chartTransition.source
    }
    return properAncestors(chartTransition.source).first { ancestor in
      (ancestor == 0 || isCompound(ancestor)) && targets.allSatisfy { isDescendant($0, ancestor) }
    } ?? 0
  }

  private func getEffectiveTargetStates(_ targets: [State]) -> Set<State> {
    var found: Set<State> = []
    for state in targets {
      guard case .history(let depth) = chart.states[Int(state)].kind else {
        found.insert(state)
        continue
      }
      let kept = Kept(state: chart.states[Int(state)].parent, depth: depth)
      found.formUnion(
        historyValue[kept]
          ?? getEffectiveTargetStates(chart.states[Int(state)].transitions[0].targets))
    }
    return found
  }

  private func computeExitSet(_ transitions: [Transition]) -> Set<State> {
    var found: Set<State> = []
    for domain in transitions.flatMap(domains) {
      found.formUnion(
        configuration.filter {
          isDescendant($0, domain.top) || (domain.withTop && $0 == domain.top)
        })
    }
    return found
  }

  // MARK: Moves

  mutating func microstep(_ transitions: [Transition], _ runs: Content = { _, _ in }) {
    let domains = transitions.flatMap(domains)
    exitStates(transitions, runs)
    for transition in transitions { runs(.takes(transition), self) }
    statesForDefaultEntry = []
    defaultHistory = [:]
    computeEntrySet(domains)
    enterStates(runs)
  }

  private mutating func exitStates(_ transitions: [Transition], _ runs: Content) {
    exited = computeExitSet(transitions).sorted(by: >)
    for state in exited {
      historyValue[Kept(state: state, depth: .deep)] = configuration.filter {
        isAtomic($0) && isIn($0, state)
      }
      historyValue[Kept(state: state, depth: .shallow)] = configuration.filter {
        chart.states[Int($0)].parent == state
      }
    }
    for state in exited {
      runs(.exits(state), self)
      configuration.remove(state)
    }
  }

  private mutating func computeEntrySet(_ domains: [Domain]) {
    for domain in domains {
      for target in domain.targets { addDescendantStatesToEnter(target, domain.history) }
    }
    for domain in domains {
      let end = domain.withTop ? chart.states[Int(domain.top)].parent : domain.top
      for state in getEffectiveTargetStates(domain.targets).sorted() {
        addAncestorStatesToEnter(state, end)
      }
    }
  }

  private mutating func enterStates(_ runs: Content) {
    entered = statesToEnter.subtracting(present).sorted()
    for state in entered {
      configuration.insert(state)
      runs(.enters(state), self)
    }
    statesToEnter = []
  }

  /// The states that are not entered because they are active.
  private var present: Set<State> { rules.contains(.entersAgain) ? [] : configuration }

  private mutating func addDescendantStatesToEnter(_ state: State, _ flow: Chart.Depth? = nil) {
    if case .history(let depth) = chart.states[Int(state)].kind {
      let parent = chart.states[Int(state)].parent
      let kept = historyValue[Kept(state: parent, depth: depth)]?.sorted()
      if kept == nil { defaultHistory[parent] = state }
      let targets = kept ?? chart.states[Int(state)].transitions[0].targets
      for target in targets { addDescendantStatesToEnter(target) }
      for target in targets { addAncestorStatesToEnter(target, parent) }
      return
    }
    guard !present.contains(state) else { return }
    statesToEnter.insert(state)
    if let flow, let kept = historyValue[Kept(state: state, depth: flow)], kept != [state] {
      for target in kept.sorted() { addDescendantStatesToEnter(target) }
      for target in kept.sorted() { addAncestorStatesToEnter(target, state) }
      return
    }
    if isCompound(state) {
      statesForDefaultEntry.insert(state)
      let targets = chart.states[Int(state)].initial?.targets ?? Array(children(state).prefix(1))
      for target in targets { addDescendantStatesToEnter(target) }
      for target in targets { addAncestorStatesToEnter(target, state) }
    } else if isParallel(state) {
      addMissingChildren(state)
    }
  }

  private mutating func addAncestorStatesToEnter(_ state: State, _ ancestor: State) {
    for above in properAncestors(state, ancestor) {
      statesToEnter.insert(above)
      if isParallel(above) { addMissingChildren(above) }
    }
  }

  private mutating func addMissingChildren(_ state: State) {
    for child in children(state) where !present.contains(child) {
      if !statesToEnter.contains(where: { isIn($0, child) }) { addDescendantStatesToEnter(child) }
    }
  }
}
