import StateCharts

/// A flow of one or two machines with random charts, as text.
///
/// The charts have nested and parallel states, history, wildcards, `always`, `on_done`, refusals, guards and timers.
package struct RandomMachines {
  /// The actions, of which one name begins another and two differ in a space.
  package static let actions = ["a", "a.x", "a y", "a_y"]

  package var text: String { lines.joined(separator: "\n") + "\n" }

  private var random: Randomness
  private var lines: [String] = []
  /// The mode of guards: 0 if there are none, 1 or 2 if all guards agree, 3 if each has a random result.
  private let guards: Int
  /// True if every guard agrees, so that the behaviour does not depend on them.
  package var guardsAgree: Bool { guards < 3 }
  private let hasTimers: Bool
  private var timers = 0
  /// The names of the states with substates, in the machine that is being written.
  private var nested: Set<String> = []

  package init(seed: UInt64) {
    random = Randomness(seed: seed ^ 0xE4_9027)
    guards = random.below(4)
    hasTimers = random.chance(50)
    lines = ["state {}"] + RandomMachines.actions.map { "action[\"\($0)\"] {}" }
    let count = random.chance(30) ? 2 : 1
    for machine in 0..<count {
      let drawing = RandomChart.draw(Randomness(seed: seed &* 7 &+ UInt64(machine)), .flow)
      add(drawing, machine == 0 ? "m" : "n")
    }
  }

  // MARK: Text

  private mutating func add(_ drawing: Drawing, _ name: String) {
    nested = RandomMachines.nested(drawing)
    lines.append("machine.\(name) {")
    addContent(of: drawing, name, "  ", isOutermost: true, [])
    lines.append("}")
  }

  private mutating func addContent(
    of drawing: Drawing, _ machine: String, _ indent: String, isOutermost: Bool,
    _ timed: Set<String>
  ) {
    let named = { (path: String) in
      path.split(separator: ".").map { "\(machine)\($0)" }.joined(separator: ".")
    }
    if drawing.kind == .final { lines.append("\(indent)final = true,") }
    if drawing.kind == .parallel {
      let regions = drawing.inside.map { "\"\(named($0.name))\"" }.joined(separator: ", ")
      lines.append("\(indent)parallel = { \(regions) },")
    } else if let first = drawing.initial.first ?? drawing.inside.first?.name {
      lines.append("\(indent)initial = \"\(relative(named(first), to: drawing, machine))\",")
    }
    var listed: [(key: String, transitions: [String])] = []
    for transition in drawing.transitions {
      guard let key = key(of: transition, in: drawing, isOutermost) else { continue }
      let text = text(of: transition, named, isUnasked: key == "always" || key == "on_done")
      if let place = listed.firstIndex(where: { $0.key == key }) {
        listed[place].transitions.append(text)
      } else {
        listed.append((key, [text]))
      }
    }
    for (key, transitions) in listed {
      // A transition that is always taken, or is refused, must stand alone.
      let all =
        transitions.contains { !$0.hasPrefix("{") || $0.hasPrefix("{ refuse") }
        ? [transitions[0]] : transitions
      let value = all.count == 1 ? all[0] : "{ \(all.joined(separator: ", ")) }"
      lines.append("\(indent)[\"\(key)\"] = \(value),")
    }
    var timed = timed
    if !isOutermost, drawing.kind != .final { addTimers(of: drawing, named, indent, &timed) }
    for child in drawing.inside {
      lines.append("\(indent)\(named(child.name)) = {")
      addContent(of: child, machine, indent + "  ", isOutermost: false, timed)
      lines.append("\(indent)},")
    }
  }

  private static func nested(_ drawing: Drawing) -> Set<String> {
    drawing.inside.reduce(drawing.inside.isEmpty ? [] : [drawing.name]) { $0.union(nested($1)) }
  }

  /// Returns a path relative to the state itself.
  private func relative(_ path: String, to drawing: Drawing, _ machine: String) -> String {
    let names = path.split(separator: ".").map(String.init)
    let own = names.firstIndex(of: "\(machine)\(drawing.name)").map { $0 + 1 } ?? 0
    return names[own...].joined(separator: ".")
  }

  private func key(
    of transition: Drawing.Transition, in drawing: Drawing, _ isOutermost: Bool
  ) -> String? {
    switch transition.trigger {
    case .action(let name):
      return RandomChart.events.firstIndex(of: name).map { RandomMachines.actions[$0] }
    case .always:
      return transition.to.isEmpty ? nil : "always"
    case .done:
      return transition.to.isEmpty || isOutermost || !RandomMachines.finishes(drawing)
        ? nil : "on_done"
    default: return nil
    }
  }

  private static func finishes(_ drawing: Drawing) -> Bool {
    switch drawing.kind {
    case .parallel: drawing.inside.allSatisfy(finishes)
    case .compound: drawing.inside.contains { $0.kind == .final }
    default: false
    }
  }

  private mutating func text(
    of transition: Drawing.Transition, _ named: (String) -> String, isUnasked: Bool
  ) -> String {
    switch transition.reach {
    case .stays: return "true"
    case .forbids: return random.chance(50) ? "false" : "{ refuse = \"not now\" }"
    default: break
    }
    let targets = transition.to.map { "\"\(named($0))\"" }
    var fields = [
      "to = " + (targets.count == 1 ? targets[0] : "{ \(targets.joined(separator: ", ")) }")
    ]
    if transition.reach == .reenters { fields.append("reenter = true") }
    if let depth = transition.history,
      transition.to.allSatisfy({ nested.contains(String($0.split(separator: ".").last ?? "")) })
    {
      fields.append("history = \(depth == .deep ? "\"deep\"" : "true")")
    }
    if let number = transition.when, guards == 3 || (guards > 0 && !isUnasked) {
      let agrees = guards < 3 || number % 3 > 0
      fields.append("when = function(s) return \(agrees), \"no\" end")
    } else if isUnasked, random.chance(30), guards == 3 {
      fields.append("when = function(s) return \(random.chance(50)) end")
    }
    return "{ \(fields.joined(separator: ", ")) }"
  }

  private mutating func addTimers(
    of drawing: Drawing, _ named: (String) -> String, _ indent: String, _ timed: inout Set<String>
  ) {
    guard hasTimers, random.chance(25) else { return }
    timers += 1
    // No two timers stay due at the same time.
    let seconds = Double(1 + random.below(9)) + Double(timers) / 64
    let target = drawing.transitions.first { $0.reach == .inner && !$0.to.isEmpty }
    let word = random.chance(70) ? "after" : "every"
    if let target, random.chance(50) {
      let text = text(of: target, named, isUnasked: false)
      lines.append("\(indent)\(word) = { { \(seconds), \(text) } },")
    } else {
      let action = RandomMachines.actions[random.below(RandomMachines.actions.count)]
      guard timed.insert(action).inserted else { return }
      let delay =
        guards == 3 && random.chance(10) ? "function() return \(seconds) end" : "\(seconds)"
      lines.append("\(indent)\(word) = { [\"\(action)\"] = \(delay) },")
    }
  }
}
