import Moonlatch

/// What a picture of a flow shows, however it is drawn.
package struct FlowDrawing: Sendable {
  /// A machine as a state chart.
  struct Chart: Sendable {
    struct State: Sendable {
      let name: String
      let isInitial: Bool
      let isFinal: Bool
      /// What `on_enter` and `on_exit` reduce, as lines.
      let notes: [String]
    }

    /// All that leads from one state to another; `from` is nil for every state.
    struct Arrow: Sendable {
      let from: Int?
      let to: Int
      var labels: [String]
    }

    let name: String
    let states: [State]
    let arrows: [Arrow]
  }

  /// An action with what lets it pass and what it does.
  struct ActionBox: Sendable {
    let name: String
    let payload: [String]
    /// Gates, gatekeepers and machines, as lines.
    let conditions: [String]
    /// The fields that it reduces; nil where the text does not show which.
    let reduces: [String?]
    let dispatches: [String]
    let dispatchesOnError: [String]
  }

  /// A scope with its own actions; the first is root.
  struct ScopeBox: Sendable {
    let name: String
    let parent: String?
    let keyFields: [String]
    let actions: [ActionBox]
  }

  let title: String
  let charts: [Chart]
  let scopes: [ScopeBox]
  /// The fields that actions reduce, in the order of their names; nil for those unknown.
  let fields: [String?]
  /// Where they stand, and the actions among those of all scopes.
  let fieldNumbers: [String?: Int]
  let numbers: [String: Int]
  private let inner: [String?: [Int]]

  package init(_ text: FlowText) {
    let use = StateUse(text)
    let flow = text.flow
    title = flow.file
    charts = flow.machines.map { Chart($0, use: use) }
    let effects = EffectText(text)
    let boxes = flow.actions.map { ActionBox($0, flow: flow, effects: effects, use: use) }
    let owned = Dictionary(grouping: flow.actions.indices) { flow.actions[$0].scope ?? 0 }
    scopes = flow.scopes.enumerated().map { index, scope in
      ScopeBox(
        name: scope.name, parent: scope.parent,
        keyFields: scope.key.map { (use.fieldsRead(by: $0) ?? []).sorted() } ?? [],
        actions: (owned[index] ?? []).map { boxes[$0] })
    }
    fields = Set(boxes.flatMap(\.reduces)).sorted { ($0 ?? "\u{7f}") < ($1 ?? "\u{7f}") }
    fieldNumbers = Dictionary(
      fields.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    numbers = Dictionary(
      scopes.flatMap(\.actions).enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first })
    inner = Dictionary(grouping: scopes.indices) { [scopes] in scopes[$0].parent }
  }

  /// The scopes right below another, with their numbers; the outermost one below none.
  func scopes(below parent: String?) -> [(Int, ScopeBox)] {
    (inner[parent] ?? []).map { ($0, scopes[$0]) }
  }
}

extension FlowDrawing.Chart {
  init(_ machine: Machine, use: StateUse) {
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
    var arrowAt: [[Int?]: Int] = [:]
    func add(_ label: String, from: Int?, to: Int) {
      if let index = arrowAt[[from, to]] {
        arrows[index].labels.append(label)
      } else {
        arrowAt[[from, to]] = arrows.count
        arrows.append(Arrow(from: from, to: to, labels: [label]))
      }
    }
    for (action, target) in everywhere.sorted(by: { $0.key < $1.key }) {
      add(action, from: nil, to: place(target))
    }
    for index in order {
      let state = machine.states[index]
      for (action, targets) in state.transitions.sorted(by: { $0.key < $1.key })
      where everywhere[action] == nil {
        let time = state.timers.first { $0.action == action }.map(FlowDrawing.Chart.text)
        for (order, target) in targets.enumerated() {
          add(
            FlowDrawing.Chart.label(
              action, target, order: targets.count > 1 ? order + 1 : nil, time: time),
            from: place(index), to: place(target.state))
        }
      }
    }
    self.arrows = arrows
  }

  /// The states as one comes to them from the initial one, then those to which nothing leads.
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

  /// Actions that lead from every state that is not final to the same one, and from at least three.
  private static func everywhere(_ machine: Machine) -> [String: Int] {
    let open = machine.states.filter { !$0.isFinal }
    guard open.count >= 3 else { return [:] }
    var found: [String: Int] = [:]
    for action in open[0].transitions.keys {
      let targets = open.map { $0.transitions[action] ?? [] }
      guard targets.allSatisfy({ $0.count == 1 && $0[0].guardRule == nil && !$0[0].reenters }),
        let target = targets[0].first?.state, targets.allSatisfy({ $0[0].state == target }),
        !open.contains(where: { $0.timers.contains { $0.action == action } })
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
    if target.reenters { label += " (anew)" }
    if let time { label += "\n\(time)" }
    return label
  }

  private static func text(_ delay: Machine.Delay) -> String {
    switch delay.time {
    case .workedOut: return "after a while"
    case .seconds(let seconds):
      let whole = Int(exactly: seconds).map(String.init) ?? String(seconds)
      return "after \(whole) s"
    }
  }
}

extension FlowDrawing.ActionBox {
  init(_ action: Action, flow: Flow, effects effectText: EffectText, use: StateUse) {
    name = action.name
    if case .record(let fields) = action.payload {
      payload = fields.map { field in
        field.name + (field.type.mayBeMissing ? "?" : "")
      }
    } else {
      payload = []
    }
    conditions =
      action.machines.map { flow.machines[$0].title }
      + action.keepers.flatMap { FlowDrawing.ActionBox.lines(of: flow.keepers[$0], action.name) }
      + action.rules.map(\.title)
    let written = action.reducer.map(use.fieldsWritten) ?? []
    reduces = written.sorted { ($0 ?? "\u{7f}") < ($1 ?? "\u{7f}") }
    let effects = action.effects.map { flow.effects[$0] }
    let dispatched = effects.flatMap { effectText.dispatched(by: $0.function) }
    dispatches = Set(dispatched + effects.compactMap(\.onDone)).sorted()
    dispatchesOnError = Set(effects.compactMap(\.onError)).sorted()
  }

  private static func lines(of keeper: KeeperPolicy, _ action: String) -> [String] {
    guard let entry = keeper.entries[action] else { return [] }
    let verbs = [("unless", entry.unless), ("resets", entry.reset), ("takes", entry.attempt)]
    return verbs.compactMap { verb, choice in
      guard let choice else { return nil }
      if keeper.isYesNo { return "\(verb) \(keeper.title)" }
      switch choice {
      case .options:
        return "\(keeper.title): \(verb) \(choice.names.joined(separator: ", "))"
      case .all: return "\(keeper.title): \(verb) all"
      case .workedOut: return "\(keeper.title): \(verb) what it works out"
      }
    }
  }
}

/// What the text of effects shows.
struct EffectText {
  private let text: FlowText
  private let declared: Set<String>

  init(_ text: FlowText) {
    self.text = text
    declared = Set(text.flow.indexOfAction.keys)
  }

  /// The declared actions that an effect dispatches or schedules by name.
  ///
  /// A name that is worked out (`dispatch(open and "open" or "depart")`) counts for each declared
  /// one that stands in it.
  func dispatched(by function: FlowFunction) -> Set<String> {
    var names: Set<String> = []
    for id in text.functions(at: function.place) {
      let source = text.sources[id.source]
      for access in source.accesses(in: id.function) {
        let arguments = source.arguments(of: access) ?? []
        switch access.root {
        case "dispatch" where access.steps.isEmpty:
          names.formUnion(strings(arguments.first, in: source))
        case "dispatch": if let name = access.firstField { names.insert(name) }
        case "after" where arguments.count > 1:
          names.formUnion(strings(arguments[1], in: source))
        default: break
        }
      }
    }
    return names.intersection(declared)
  }

  private func strings(_ argument: Range<Int>?, in source: LuaSource) -> [String] {
    guard let argument else { return [] }
    return source.tokens[argument].filter { $0.kind == .string }.map(\.text)
  }
}
