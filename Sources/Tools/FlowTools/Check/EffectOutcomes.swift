import FlowLanguage
import StateCharts

/// A check for effects that dispatch an action which no state lists that can be active by then.
final class EffectOutcomes {
  let text: FlowText
  /// The tables whose `run` begins on a line; of several on one line, the first counts.
  private let tables: [SourcePlace: [LuaTree.Item]]
  /// The number of states that may still be examined, for all actions together; beyond it nothing is reported.
  private var budget = 200_000
  private var flow: Flow { text.flow }

  init(text: FlowText) {
    self.text = text
    var tables: [SourcePlace: [LuaTree.Item]] = [:]
    for source in text.sources {
      guard let tree = source.tree else { continue }
      for case .table(let items) in tree.expressions.lazy.map(\.kind) {
        for case .named("run", let run, _) in items {
          guard case .function(let function) = tree.expressions[run].kind else { continue }
          let place = SourcePlace(file: source.name, line: tree.functions[function].line)
          if tables[place] == nil { tables[place] = items }
        }
      }
    }
    self.tables = tables
  }

  var findings: [Finding] { ofActions + ofStates }

  /// The findings about effects that follow actions.
  private var ofActions: [Finding] {
    let causes = flow.causesOfEffects
    return flow.effects.enumerated().flatMap { number, effect -> [Finding] in
      guard let causes = causes[number], causes.count == 1, let cause = causes.first else {
        return []
      }
      return (named(by: effect) + sent(by: effect)).compactMap { sent in
        guard let action = flow.action(named: sent.name),
          let obstacle = obstacle(to: action, after: cause)
        else { return nil }
        return Finding(
          .neverPasses, at: sent.place,
          "\(sent.name) is refused whenever it comes from effect \(effect.function.name): \(obstacle)"
        )
      }
    }
  }

  /// Returns the actions of `on_done` and `on_error`, and their places.
  private func named(by effect: Effect) -> [(name: String, place: SourcePlace)] {
    [("on_done", effect.onDone), ("on_error", effect.onError)].compactMap { word, name in
      name.map { ($0, place(of: word, in: effect)) }
    }
  }

  private func place(of word: String, in effect: Effect) -> SourcePlace {
    let place = effect.function.place
    for case .named(word, _, let line) in tables[place] ?? [] {
      return SourcePlace(file: place.file, line: line)
    }
    return place
  }

  /// Returns the actions that the text of an effect dispatches itself, and their places.
  private func sent(by effect: Effect) -> [(name: String, place: SourcePlace)] {
    (text.functions(at: effect.function.place) ?? []).flatMap {
      id -> [(name: String, place: SourcePlace)] in
      let source = text.sources[id.source]
      return source.accesses(in: id.function).compactMap { access in
        guard !source.localNames.contains(access.root) else { return nil }
        let name: String?
        switch access.root {
        case "dispatch":
          name = access.firstField ?? source.literal(source.arguments(of: access)?.first)
        case "after" where (source.arguments(of: access)?.count ?? 0) > 1:
          name = source.literal(source.arguments(of: access)?[1])
        default: name = nil
        }
        return name.map { ($0, SourcePlace(file: source.name, line: access.line)) }
      }
    }
  }

  /// Returns a clause about the machine that never takes an action after another one has passed.
  private func obstacle(to action: Action, after cause: Action) -> String? {
    for index in action.machines {
      let machine = flow.machines[index]
      guard machine.records == nil, cause.machines.contains(index),
        let takers = machine.takers[action.name], let reached = reached(machine, after: cause.name)
      else { continue }
      if takers.contains(where: { machine.chart.touches($0, anyOf: reached) }) { continue }
      let names = takers.prefix(5).map { machine.chart.states[Int($0)].path }
      return "\(machine.title) takes it only in \(names.joined(separator: ", ")), which no "
        + "transition reaches from the state to which \(cause.name) leads"
    }
    return nil
  }

  /// Returns the states that an action leads to, and all that transitions lead to from there, in order.
  ///
  /// Nil if the table alone does not decide that, or if the search takes too long.
  private func reached(_ machine: Machine, after action: String) -> [Chart.StateNumber]? {
    let chart = machine.chart
    guard chart.regions.count == 1 else { return nil }
    budget -= chart.states.count
    var reached: Set<Chart.StateNumber> = []
    var waiting: [Chart.StateNumber] = []
    for state in chart.states {
      for transition in state.transitions where transition.trigger == .action(action) {
        if transition.reach == .forbids { continue }
        waiting += transition.targets.isEmpty ? [transition.source] : transition.targets
      }
    }
    while let state = waiting.popLast() {
      guard reached.insert(state).inserted else { continue }
      if budget < 0 { return nil }
      // The states around it, and those inside.
      var related = Array(state...chart.states[Int(state)].last)
      var around = chart.states[Int(state)].parent
      while around >= 0 {
        related.append(around)
        around = chart.states[Int(around)].parent
      }
      for each in related {
        budget -= 1 + chart.states[Int(each)].transitions.count
        for transition in chart.states[Int(each)].transitions where transition.reach != .forbids {
          waiting += transition.targets.filter { !reached.contains($0) }
        }
      }
    }
    return reached.sorted()
  }

  /// The findings about effects of states, which dispatch while the state is active.
  private var ofStates: [Finding] {
    flow.machines.filter { $0.records == nil }.flatMap { machine -> [Finding] in
      machine.effects.sorted { $0.key < $1.key }.flatMap { state, effect -> [Finding] in
        named(by: effect).compactMap { sent in
          guard let takers = machine.takers[sent.name],
            !machine.chart.touches(state, anyOf: takers)
          else { return nil }
          let path = machine.chart.states[Int(state)].path
          return Finding(
            .neverPasses, at: sent.place,
            "\(sent.name) is refused whenever it comes from the effect of \(path): neither \(path) nor "
              + "a state around or inside it lists it")
        }
      }
    }
  }
}
