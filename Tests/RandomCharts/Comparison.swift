import StateCharts

/// A comparison of the chart interpreter with the reference, over the same events.
package struct Comparison {
  /// The counts of what was compared without a difference.
  package struct Count: Sendable, CustomStringConvertible {
    package var steps = 0
    package var several = 0
    package var eventless = 0
    package var conflicts = 0

    package init() {}

    package var description: String {
      "\(steps) steps, \(several) with several ways, \(eventless) rounds, \(conflicts) conflicts"
    }
  }

  private let chart: Chart
  private let compiled: CompiledChart
  private var reference: Reference
  private var interpreter: ChartInterpreter
  private var configuration: [CompiledChart.LeafNumber] = []
  private var memory: ChartInterpreter.HistoryValue
  private(set) var count = Count()

  /// Returns a difference for the chart of a seed, with the chart shrunk as far as possible; nil if there is none.
  package static func difference(seed: UInt64, _ total: inout Count) -> String? {
    let dialect: Chart.Dialect = seed % 2 == 0 ? .flow : .scxml
    let drawing = RandomChart.draw(Randomness(seed: seed), dialect)
    guard let found = difference(drawing, dialect, seed, &total) else { return nil }
    let small = shrunk(drawing, dialect, seed)
    let why = difference(small, dialect, seed, &total) ?? found
    return "seed \(seed), \(dialect): \(why)\n\(small)"
  }

  private static func difference(
    _ drawing: Drawing, _ dialect: Chart.Dialect, _ seed: UInt64, _ total: inout Count
  ) -> String? {
    var comparison = Comparison(drawing.chart(dialect))
    let found = comparison.run(Randomness(seed: seed ^ 0x5EED))
    total.steps += comparison.count.steps
    total.several += comparison.count.several
    total.eventless += comparison.count.eventless
    total.conflicts += comparison.count.conflicts
    return found
  }

  private init(_ chart: Chart) {
    self.chart = chart
    compiled = CompiledChart(chart)
    reference = Reference(chart)
    interpreter = ChartInterpreter(compiled)
    memory = interpreter.noMemory
  }

  private mutating func run(_ random: Randomness) -> String? {
    var random = random
    interpreter.begin(&configuration, remembering: memory)
    if Array(interpreter.entered) != reference.entered {
      return "begins \(Array(interpreter.entered)), expected \(reference.entered)"
    }
    for step in 0..<12 {
      let event = RandomChart.events[random.below(RandomChart.events.count)]
      let mask = random.next()
      let inside = random.chance(10) ? Int32(random.below(chart.states.count)) : 0
      let from = "step \(step), \(event) in \(reference.configuration.sorted()): "
      if let found = walk(.event(event), inside, mask).difference { return from + found }
      for round in 0..<6 {
        let (moved, found) = walk(.eventless, 0, mask)
        if let found { return from + "round \(round): " + found }
        guard moved else { break }
        count.eventless += 1
      }
    }
    return nil
  }

  private mutating func walk(
    _ cause: Reference.Cause, _ inside: Int32, _ mask: UInt64
  ) -> (moved: Bool, difference: String?) {
    let agrees = { (transition: Chart.Transition) in
      mask >> UInt64((transition.condition ?? 0) & 63) & 1 == 1
    }
    let (enabled, refused) = reference.selectTransitions(cause, inside: inside, agrees: agrees)
    let expected = reference.removeConflictingTransitions(enabled)
    var asked: Set<Int32> = []
    var isAskedTwice = false
    let compiled = compiled
    let answer = { (number: Int32) in
      if !asked.insert(number).inserted { isAskedTwice = true }
      let transition = compiled.transition(number)
      if case .event(let name) = cause, !Reference.matches(transition.trigger, name) {
        return false
      }
      return transition.condition == nil || agrees(transition)
    }
    switch cause {
    case .eventless: _ = interpreter.select(.eventless, at: configuration, agrees: answer)
    case .event(let name):
      let number = chart.dialect == .scxml ? CompiledChart.events : compiled.action(name)
      if let number {
        _ = interpreter.select(
          .action(number, inside: inside), at: configuration, agrees: answer)
      } else {
        (interpreter.taken, interpreter.refusals) = ([], [])
      }
    }
    if isAskedTwice { return (false, "a condition is asked twice") }
    if let found = compare("chooses", interpreter.taken, enabled.map(number)) {
      return (false, found)
    }
    // In SCXML an event descriptor is matched together with the guard, so that more transitions refuse.
    if case .event = cause, chart.dialect == .flow,
      let found = compare("refuses", interpreter.refusals.map(\.transition), refused.map(number))
    {
      return (false, found)
    }
    interpreter.resolveConflicts(at: configuration, remembering: memory)
    if let found = compare("takes", interpreter.taken, expected.map(number)) {
      return (false, found)
    }
    reference.microstep(expected)
    interpreter.move(&configuration, remembering: &memory)
    count.steps += 1
    if expected.count > 1 { count.several += 1 }
    if expected.count < enabled.count { count.conflicts += 1 }
    return (!expected.isEmpty, compareMoves())
  }

  private func number(_ transition: Reference.Transition) -> Int32 {
    compiled.transitionNumber(transition.source, transition.index)
  }

  private func compareMoves() -> String? {
    let active = chart.states.indices.map(Int32.init).filter {
      !RandomChart.isHistory(chart, $0) && compiled.isActive($0, in: configuration)
    }
    var kept: [String] = []
    for (number, node) in compiled.nodes.enumerated() {
      for (gatekeeper, depth) in [(node.shallow, Chart.Depth.shallow), (node.deep, .deep)] {
        guard gatekeeper >= 0 else { continue }
        let expected = reference.historyValue[.init(state: Int32(number), depth: depth)]
        let own = Set(memory.states[Int(gatekeeper)])
        // A state without substates has nothing to remember but itself.
        if own != expected ?? [], expected != [Int32(number)] {
          kept.append("remembers \(own), expected \(expected ?? []) of \(number)")
        }
      }
    }
    return compare("leaves", Array(interpreter.left), reference.exited)
      ?? compare("enters", Array(interpreter.entered), reference.entered)
      ?? compare("is in", active, reference.configuration.sorted()) ?? kept.first
  }

  private func compare(_ what: String, _ own: [Int32], _ expected: [Int32]) -> String? {
    own == expected ? nil : "\(what) \(own), expected \(expected)"
  }

  // MARK: Shrinking

  private static func shrunk(
    _ drawing: Drawing, _ dialect: Chart.Dialect, _ seed: UInt64
  ) -> Drawing {
    var (smallest, ignored) = (drawing, Count())
    while let smaller = smallest.smaller.first(where: {
      difference($0, dialect, seed, &ignored) != nil
    }) {
      smallest = smaller
    }
    return smallest
  }
}
