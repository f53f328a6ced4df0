import LuaRuntime

/// A state of a machine that is being drawn.
final class StateDrawing {
  let name: String
  var inside: [StateDrawing] = []
  var isParallel = false
  var isFinal = false

  init(_ name: String) { self.name = name }

  var isPlain: Bool { inside.isEmpty }
}

extension FlowDrawing {
  /// Draws a machine in the state: flat, nested, or with regions.
  mutating func drawMachine() {
    let name = name("m")
    let root = StateDrawing(name)
    fill(root, depth: 0)
    let mine = draw.some(draw.from(2, to: 4), of: free)
    namedStates += root.inside.filter(\.isPlain).map { "\(name).\($0.name)" }
    lines.append("machine.\(name) {")
    lines += FlowDrawing.indented(content(of: root, outer: [], mine))
    lines.append("}")
  }

  /// Adds substates to a state, with unique names.
  private mutating func fill(_ state: StateDrawing, depth: Int) {
    for _ in 0..<draw.from(2, to: depth == 0 ? 4 : 3) {
      state.inside.append(StateDrawing(name("q")))
    }
    if draw.percent(15) { state.inside.last?.isFinal = true }
    guard depth < 2 else { return }
    for child in state.inside where !child.isFinal && draw.percent(depth == 0 ? 35 : 20) {
      if draw.percent(40) {
        child.isParallel = true
        for _ in 0..<2 {
          let region = StateDrawing(name("region"))
          fill(region, depth: depth + 1)
          child.inside.append(region)
        }
      } else {
        fill(child, depth: depth + 1)
      }
    }
  }

  /// Returns the content of a state with substates, or of a machine.
  private mutating func content(
    of state: StateDrawing, outer: [Target], _ actions: [Action]
  ) -> [String] {
    var lines: [String] = []
    if state.isParallel {
      lines.append(
        "parallel = { \(state.inside.map { "\"\($0.name)\"" }.joined(separator: ", ")) },")
    } else if let first = state.inside.first {
      lines.append("initial = \"\(first.name)\",")
    }
    for (place, child) in state.inside.enumerated() {
      if state.isParallel {
        lines.append("\(child.name) = {")
        lines += FlowDrawing.indented(content(of: child, outer: [], actions))
      } else {
        lines.append("\(child.name) = {")
        var inner: [String] = []
        let targets = targets(from: state, outer)
        if child.isFinal {
          inner.append("final = true,")
        } else {
          let next = place + 1 < state.inside.count ? state.inside[place + 1] : nil
          inner += transitions(of: child, to: targets, next: next, actions)
          inner += unasked(of: child, at: place, in: state)
          inner += timed(child, targets)
          inner += deferral(of: child, inner, actions)
          if !child.isPlain { inner += content(of: child, outer: targets, actions) }
        }
        lines += FlowDrawing.indented(inner)
      }
      lines.append("},")
    }
    return lines
  }

  /// A state that a transition may target.
  struct Target {
    let name: String
    /// True if it has substates, which history may remember.
    var isCompound = false
  }

  /// Returns the possible targets of transitions in a state's substates: a sibling, inside a sibling, or further out.
  private func targets(from state: StateDrawing, _ outer: [Target]) -> [Target] {
    var targets = state.inside.map { Target(name: $0.name, isCompound: !$0.isPlain) }
    for child in state.inside where !child.isParallel {
      targets += child.inside.map {
        Target(name: "\(child.name).\($0.name)", isCompound: !$0.isPlain)
      }
    }
    return targets + outer.filter { !$0.name.contains(".") }
  }

  /// Returns the transitions of a state.
  ///
  /// - Parameter next: the sibling that must be reachable.
  private mutating func transitions(
    of state: StateDrawing, to targets: [Target], next: StateDrawing?, _ actions: [Action]
  ) -> [String] {
    var lines: [String] = []
    let onwards = next == nil ? -1 : draw.below(actions.count)
    for (place, action) in actions.enumerated() {
      if place == onwards, let next {
        lines.append("\(action.name) = \"\(next.name)\",")
      } else if draw.percent(state.isPlain ? 65 : 30) {
        lines.append("\(action.name) = \(transition(to: targets, action)),")
      }
    }
    if draw.percent(20) {
      lines.append("on_enter = function(s)\(body(Reach())) end,")
    }
    if draw.percent(15) {
      lines.append("on_exit = function(s)\(body(Reach())) end,")
    }
    return lines
  }

  private mutating func body(_ reach: Reach) -> String {
    " " + statements(1, reach).joined(separator: " ")
  }

  private mutating func transition(to targets: [Target], _ action: Action) -> String {
    let target = draw.one(of: targets)?.name ?? ""
    let reach = Reach(payload: action.fields)
    switch draw.below(12) {
    case 0: return "true"
    case 1: return "{ refuse = \"not here\" }"
    case 2, 3:
      let condition = condition(reach)
      return
        "{ to = \"\(target)\", when = function(s, a) return \(condition.text), \(condition.reason) end }"
    case 4: return "{ to = \"\(target)\", reduce = function(s, a)\(body(reach)) end }"
    case 5: return "{ to = \"\(target)\", reenter = true }"
    case 6:
      guard let compound = draw.one(of: targets.filter(\.isCompound)) else { return "true" }
      return "{ to = \"\(compound.name)\", history = \(draw.pick("true", "\"deep\"")) }"
    case 7:
      let condition = condition(reach)
      let other = draw.one(of: targets)?.name ?? ""
      return
        "{ { to = \"\(target)\", when = function(s, a) return \(condition.text), \(condition.reason) end }, "
        + "{ to = \"\(other)\" } }"
    default: return "\"\(target)\""
    }
  }

  /// Returns eventless and completion transitions, which only lead to later siblings, so that they come to an end.
  private mutating func unasked(
    of child: StateDrawing, at place: Int, in state: StateDrawing
  ) -> [String] {
    guard let next = draw.one(of: Array(state.inside[(place + 1)...])) else { return [] }
    if !child.isPlain, child.inside.contains(where: \.isFinal), !child.isParallel {
      return ["on_done = \"\(next.name)\","]
    }
    guard draw.percent(12) else { return [] }
    // An initial state stays active until something has changed, whatever the condition.
    let condition = condition(Reach(isFree: false))
    return [
      "always = { to = \"\(next.name)\", when = function(s) return not (\(condition.text)) end },"
    ]
  }

  /// Returns timers; those of actions only at innermost states, because a state must not have the timer of an ancestor.
  private mutating func timed(_ state: StateDrawing, _ targets: [Target]) -> [String] {
    var lines: [String] = []
    let ticks = actions.filter { $0.isInternal && !$0.isReserved }.map(\.name)
    if draw.percent(30), let target = draw.one(of: targets)?.name {
      let seconds = draw.from(1, to: 12)
      lines.append(
        draw.percent(50) || !state.isPlain
          ? "after = { { \(seconds), \"\(target)\" } },"
          : "after = { \(ticks[0]) = \(seconds) },")
    }
    if draw.percent(20) {
      let seconds = draw.from(2, to: 9)
      lines.append(
        draw.percent(50) || !state.isPlain
          ? "every = { { \(seconds), { reduce = function(s)\(body(Reach())) end } } },"
          : "every = { \(ticks[1]) = \(seconds) },")
    }
    return lines + stateEffect()
  }

  /// Returns actions that a state postpones, and a transition that restarts its timers.
  ///
  /// They have a random source of their own, so that the rest of the flow is the same without them.
  private mutating func deferral(
    of state: StateDrawing, _ lines: [String], _ actions: [Action]
  ) -> [String] {
    var found: [String] = []
    func isListed(_ name: String) -> Bool { lines.contains { $0.hasPrefix("\(name) = ") } }
    if deferring.percent(15), let action = deferring.one(of: actions), !isListed(action.name) {
      found.append("postpone = \"\(action.name)\",")
    } else if deferring.percent(30), lines.contains(where: { $0.hasPrefix("after = ") }),
      let action = deferring.one(of: actions), !isListed(action.name)
    {
      found.append("\(action.name) = { restart_timer = true },")
    }
    return found
  }

  private mutating func stateEffect(ofRecord: Bool = false) -> [String] {
    guard options.hasEffects, draw.percent(options.isFinite ? 10 : 20) else { return [] }
    var program = EffectProgram(
      isDurable: options.hasDurable && !options.isFinite
        && (options.isForEffects || draw.percent(60)),
      reaches: actions.filter { $0.isInternal && !$0.isReserved })
    program.isOfState = true
    let parameters = ofRecord ? "self, a, it, key" : "self, a"
    return ["effect = {"]
      + FlowDrawing.indented(definition(of: &program, parameters: parameters)) + ["},"]
  }

  // MARK: Machines of records

  /// Draws a machine for each record of a map, with actions of its own.
  mutating func drawMachineOfRecords() {
    let name = name("each")
    let records = "\(name)_all"
    fields.append(
      StateField(
        name: records, kind: .other,
        declaration:
          "map_of { { n = integer { min = 0, max = 3, default = 0 } }, key = string, "
          + "max_length = \(options.isFinite ? 1 : 3) }"
      ))
    let keys: [Value] = options.isFinite ? ["k1"] : ["k1", "k2", "k3"]
    let id = PayloadField(
      name: "id", type: "one_of { \(keys.map(FlowDrawing.lua).joined(separator: ", ")) }")
    for part in ["add", "drop", "go", "turn"] {
      actions.insert(
        Action(
          name: "\(part)_\(name)", fields: [id], payloads: keys.map { ["id": $0] },
          isReserved: true), at: 0)
    }
    actions.insert(Action(name: "whole_\(name)", isReserved: true), at: 0)
    let states = (0..<draw.from(2, to: 3)).map { _ in self.name("q") }
    lines += [
      "machine.\(name) {", "  each = \"\(records)\",", "  which = \"id\",",
      "  without = { add_\(name) = true },", "  initial = \"\(states[0])\",",
    ]
    for state in states {
      lines.append("  \(state) = {")
      lines += FlowDrawing.indented(FlowDrawing.indented(recordTransitions(name, states)))
      lines.append("  },")
    }
    lines += [
      "  drop_\(name) = true, add_\(name) = true,", "}",
      "function reduce.add_\(name)(s, a) s.\(records)[a.id] = { n = #a.id % 4 } end",
      "function reduce.drop_\(name)(s, a) s.\(records)[a.id] = nil end",
    ]
  }

  private mutating func recordTransitions(_ name: String, _ states: [String]) -> [String] {
    var lines: [String] = []
    for action in ["go", "turn", "whole"] where draw.percent(60) {
      let target = draw.one(of: states) ?? ""
      let transition = draw.pick(
        "\"\(target)\"",
        "{ to = \"\(target)\", when = function(s, a, it) return it.n < 2, \"n is \" .. it.n end }",
        "{ to = \"\(target)\", reduce = function(s, a, it) it.n = (it.n + 1) % 4 end }",
        "{ refuse = \"not this one\" }")
      lines.append("\(action)_\(name) = \(transition),")
    }
    if deferring.percent(15), !lines.contains(where: { $0.hasPrefix("go_") }) {
      lines.append("postpone = \"go_\(name)\",")
    }
    if draw.percent(35) { lines.append("after = { turn_\(name) = \(draw.from(2, to: 15)) },") }
    if draw.percent(25) {
      lines.append(
        "every = { { \(draw.from(2, to: 9)), { reduce = function(s, a, it) it.n = (it.n + 2) % 4 end } } },"
      )
    }
    return lines + stateEffect(ofRecord: true)
  }
}
