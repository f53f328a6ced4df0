import StateCharts

/// A random chart as a document, with conditions, and with content that logs where it runs.
struct RandomDocument: Sendable {
  /// The condition and the content of a transition.
  struct Transition: Sendable {
    var condition: Condition?
    var content: [Statement] = []
  }

  /// The content of a state for its entry, its exit and its initial transition.
  struct Blocks: Sendable {
    var entering: [[Statement]] = []
    var leaving: [[Statement]] = []
    var beginning: [Statement] = []
  }

  /// A session that a state invokes: it receives the state's events and does nothing but end.
  enum Invocation: Sendable { case endsAtOnce, endsWithEvent }

  static let variables = ["n", "m"]
  /// The event that ends an invoked session which waits for one.
  static let ending = "a.x"
  /// The events that a document also raises itself.
  static let inner = ["i.x", "i.y", "a.x", "b"]

  /// The chart, whose transitions have the keys of `transitions` in place of conditions.
  var drawing: Drawing
  var transitions: [Int32: Transition] = [:]
  var blocks: [String: Blocks] = [:]
  /// The sessions, by the names of the states that invoke them.
  var invocations: [String: Invocation] = [:]
  /// The events to play.
  var events: [String] = []

  private var random: Randomness
  private var names: [String] = []
  private var marks = 0

  /// Returns the document of a seed, with twelve events.
  ///
  /// - Parameter invokes: true if states may invoke sessions.
  static func draw(seed: UInt64, invokes: Bool = true) -> RandomDocument {
    var drawing = RandomChart.draw(Randomness(seed: seed), .scxml)
    var made = RandomDocument(drawing: drawing, random: Randomness(seed: seed ^ 0xD0C))
    made.names = drawing.chart(.scxml).states.dropFirst().filter {
      if case .history = $0.kind { false } else { true }
    }.map(\.name)
    if invokes { made.drawInvocations(drawing.chart(.scxml)) }
    made.complete(&drawing, isOutermost: true)
    made.drawing = drawing
    for _ in 0..<12 {
      made.events.append(RandomChart.events[made.random.below(RandomChart.events.count)])
    }
    return made
  }

  private init(drawing: Drawing, random: Randomness) {
    (self.drawing, self.random) = (drawing, random)
  }

  // MARK: Drawing

  private mutating func drawInvocations(_ chart: Chart) {
    guard random.chance(40) else { return }
    for state in chart.states.dropFirst() where random.chance(20) {
      switch state.kind {
      case .history, .final: continue
      default: invocations[state.name] = random.chance(40) ? .endsAtOnce : .endsWithEvent
      }
    }
  }

  /// Returns the name of the event with which the session of a state ends.
  static func done(_ state: String) -> String { "done.invoke.v\(state)" }

  private mutating func complete(_ drawing: inout Drawing, isOutermost: Bool = false) {
    let isHistory: Bool = if case .history = drawing.kind { true } else { false }
    for place in drawing.transitions.indices {
      let number = Int32(transitions.count)
      drawing.transitions[place].when = number
      let isAlways = drawing.transitions[place].trigger == .always
      if !isHistory, !isAlways, random.chance(30) {
        drawing.transitions[place].trigger = .events([event()])
      }
      var transition = Transition()
      if !isHistory, random.chance(isAlways ? 85 : 40) {
        transition.condition = condition(2, hasEvent: !isAlways)
      }
      if random.chance(70) { transition.content = block("t\(number)") }
      if isAlways, !isHistory { transition.content.append(.add("n", 1, below: 7)) }
      // Without any of these the transition would be taken for ever, which is an error.
      if isAlways, drawing.transitions[place].to.isEmpty, transition.condition == nil {
        transition.condition = .below("n", 3)
      }
      transitions[number] = transition
    }
    if !isOutermost, !isHistory {
      var own = Blocks()
      own.entering = (0..<1 + random.below(2)).map { block("+\(drawing.name).\($0)") }
      own.leaving = (0..<random.below(3)).map { block("-\(drawing.name).\($0)") }
      if !drawing.initial.isEmpty, random.chance(50) { own.beginning = block("i\(drawing.name)") }
      blocks[drawing.name] = own
    }
    for place in drawing.inside.indices { complete(&drawing.inside[place]) }
  }

  private mutating func event() -> String {
    if !invocations.isEmpty, random.chance(40) {
      return random.one(of: invocations.keys.sorted()).map(Self.done) ?? ""
    }
    return switch random.below(8) {
    case 0: "i"
    case 1: "i.x"
    case 2: "i.y"
    case 3: "error"
    case 4: "error.execution"
    case 5: "done.state.*"
    default: "done.state.\(random.one(of: names) ?? "")"
    }
  }

  private mutating func condition(_ depth: Int, hasEvent: Bool) -> Condition {
    switch random.below(depth > 0 ? 10 : 6) {
    case 0, 1: .isIn(random.one(of: names) ?? "")
    case 2 where hasEvent: .isEvent(random.one(of: Self.inner + RandomChart.events) ?? "")
    case 3: .equals("n", "m")
    case 2, 4, 5: .below(random.one(of: Self.variables) ?? "n", 1 + random.below(6))
    case 6, 7: .not(condition(depth - 1, hasEvent: hasEvent))
    case 8:
      .both(
        condition(depth - 1, hasEvent: hasEvent), condition(depth - 1, hasEvent: hasEvent))
    default:
      .either(
        condition(depth - 1, hasEvent: hasEvent), condition(depth - 1, hasEvent: hasEvent))
    }
  }

  private mutating func block(_ label: String) -> [Statement] {
    [.log(label)] + (0..<random.below(3)).map { _ in statement(2) }
  }

  private mutating func statement(_ depth: Int) -> Statement {
    switch random.below(depth > 0 ? 12 : 9) {
    case 0, 1: return .raise(random.one(of: Self.inner) ?? "b")
    case 2: return random.chance(30) ? .send(random.one(of: Self.inner) ?? "b") : .show("m")
    case 3, 4: return .add(random.one(of: Self.variables) ?? "n", 1 + random.below(3), below: 7)
    case 5: return .copy("m", from: "n")
    case 6: return .show("n")
    case 7: return random.chance(30) ? .fail : .show("m")
    case 8:
      marks += 1
      return .log("l\(marks)")
    default:
      return .branch(
        condition(1, hasEvent: false), [statement(depth - 1), statement(depth - 1)],
        random.chance(50) ? [statement(depth - 1)] : [])
    }
  }

  // MARK: Shrinking

  /// The documents without one of the states, transitions, conditions, contents or events.
  var smaller: [RandomDocument] {
    var found: [RandomDocument] = []
    func without(_ change: (inout RandomDocument) -> Void) {
      var document = self
      change(&document)
      if document.isWhole { found.append(document) }
    }
    for place in events.indices.reversed() { without { $0.events.remove(at: place) } }
    for drawing in drawing.smaller { without { $0.drawing = drawing } }
    for state in invocations.keys.sorted() { without { $0.invocations[state] = nil } }
    let states = drawing.chart(.scxml).states
    for (number, transition) in transitions.sorted(by: { $0.key < $1.key })
    where states.contains(where: { $0.transitions.contains { $0.condition == number } }) {
      if transition.condition != nil { without { $0.transitions[number]?.condition = nil } }
      for place in transition.content.indices {
        without { $0.transitions[number]?.content.remove(at: place) }
      }
    }
    for state in states {
      guard let own = blocks[state.name] else { continue }
      for place in own.entering.indices {
        without { $0.blocks[state.name]?.entering.remove(at: place) }
        for other in own.entering[place].indices.dropFirst() {
          without { $0.blocks[state.name]?.entering[place].remove(at: other) }
        }
      }
      for place in own.leaving.indices {
        without { $0.blocks[state.name]?.leaving.remove(at: place) }
        for other in own.leaving[place].indices.dropFirst() {
          without { $0.blocks[state.name]?.leaving[place].remove(at: other) }
        }
      }
      if !own.beginning.isEmpty { without { $0.blocks[state.name]?.beginning = [] } }
    }
    return found
  }

  /// True if a reader would report no error in it.
  private var isWhole: Bool {
    drawing.chart(.scxml).states.allSatisfy { state in
      if case .history = state.kind { return state.transitions.count == 1 }
      return state.transitions.allSatisfy {
        $0.trigger != .always || !$0.targets.isEmpty
          || $0.condition.flatMap { transitions[$0]?.condition } != nil
      }
    }
  }
}
