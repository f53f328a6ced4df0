import StateCharts

/// The random generator Splitmix64, which has the same numbers for the same seed on every machine.
struct Randomness: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// Returns a number below `count`.
  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(count, 1))) }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  mutating func one<Element>(of list: [Element]) -> Element? {
    list.isEmpty ? nil : list[below(list.count)]
  }
}

/// A random chart of up to forty states, which has no errors that a reader would report.
struct RandomChart {
  static let events = ["a.x", "a.y", "b", "c"]

  private var random: Randomness
  private let dialect: Chart.Dialect
  private var count = 0

  static func draw(_ random: Randomness, _ dialect: Chart.Dialect) -> Drawing {
    var made = RandomChart(random: random, dialect: dialect)
    let most = 2 + made.random.below(38)
    var drawing = made.state(0, most, isOutermost: true)
    let chart = drawing.chart(dialect)
    made.complete(&drawing, chart, 0)
    return drawing
  }

  private init(random: Randomness, dialect: Chart.Dialect) {
    (self.random, self.dialect) = (random, dialect)
  }

  private mutating func state(_ depth: Int, _ most: Int, isOutermost: Bool = false) -> Drawing {
    var drawing = Drawing("s\(count)", .atomic)
    count += 1
    guard isOutermost || (depth < 6 && count < most && random.chance(55)) else { return drawing }
    let often = isOutermost ? (dialect == .flow ? 15 : 0) : 35
    drawing.kind = random.chance(often) ? .parallel : .compound
    let children = drawing.kind == .parallel ? 2 + random.below(2) : 1 + random.below(4)
    for place in 0..<children {
      if drawing.kind == .compound, place > 0, random.chance(20) {
        drawing.inside.append(Drawing("s\(count)", .final))
        count += 1
      } else {
        drawing.inside.append(state(depth + 1, most))
      }
    }
    if dialect == .scxml, !isOutermost, random.chance(35) {
      let history = Drawing("s\(count)", .history(random.chance(50) ? .shallow : .deep))
      count += 1
      drawing.inside.insert(history, at: random.below(drawing.inside.count + 1))
    }
    return drawing
  }

  /// Adds transitions and initial states, for which all states must be known.
  private mutating func complete(_ drawing: inout Drawing, _ chart: Chart, _ number: Int32) {
    let path = { (state: Int32) in chart.states[Int(state)].path }
    switch drawing.kind {
    case .history:
      let parent = chart.states[Int(number)].parent
      let inside = (parent + 1...chart.states[Int(parent)].last).filter {
        !RandomChart.isHistory(chart, $0)
      }
      if let target = random.one(of: inside) {
        drawing.transitions = [.init(trigger: .always, to: [path(target)], reach: .external)]
      }
    case .final: break
    default:
      if drawing.kind == .compound, random.chance(60) {
        let inside = (number + 1...chart.states[Int(number)].last).filter {
          chart.states[Int($0)].parent == number || random.chance(20)
        }
        drawing.initial = random.one(of: inside).map { [path($0)] } ?? []
      }
      for _ in 0..<random.below(4) {
        if let transition = transition(chart, from: number) {
          drawing.transitions.append(transition)
        }
      }
    }
    var child = number + 1
    let shared = dialect == .flow && random.chance(15) ? transition(chart, from: number) : nil
    for place in drawing.inside.indices {
      complete(&drawing.inside[place], chart, child)
      // The wildcard of a table is copied into each state.
      if let shared, drawing.inside[place].kind != .final, isPossible(chart, child, shared) {
        drawing.inside[place].transitions.append(shared)
      }
      child = chart.states[Int(child)].last + 1
    }
  }

  static func isHistory(_ chart: Chart, _ state: Int32) -> Bool {
    if case .history = chart.states[Int(state)].kind { return true }
    return false
  }

  private mutating func transition(_ chart: Chart, from number: Int32) -> Drawing.Transition? {
    guard number > 0 || dialect == .flow else { return nil }
    var transition = Drawing.Transition(trigger: trigger(), reach: reach())
    if random.chance(40) { transition.when = Int32(random.below(64)) }
    if transition.reach == .stays || transition.reach == .forbids { return transition }
    guard chart.states.count > 1 else { return nil }
    var targets = [Int32(1 + random.below(chart.states.count - 1))]
    let parallel = chart.states.indices.filter { chart.states[$0].kind == .parallel }
    if random.chance(15), let around = random.one(of: parallel) {
      targets = []
      for child in chart.states.indices where chart.states[child].parent == around {
        guard random.chance(70), !RandomChart.isHistory(chart, Int32(child)) else { continue }
        targets.append(Int32(child + random.below(Int(chart.states[child].last) - child + 1)))
      }
    }
    transition.to = targets.map { chart.states[Int($0)].path }
    if dialect == .flow, random.chance(25) {
      transition.history = random.chance(50) ? .deep : .shallow
    }
    return isPossible(chart, number, transition) ? transition : nil
  }

  private mutating func trigger() -> Chart.Trigger {
    if random.chance(12) { return .always }
    let event = random.one(of: RandomChart.events) ?? ""
    if dialect == .flow { return random.chance(12) ? .done : .action(event) }
    return random.chance(20) ? .events(["*"]) : .events([random.chance(20) ? "a.*" : event])
  }

  private mutating func reach() -> Chart.Reach {
    if random.chance(10) { return .stays }
    if dialect == .scxml { return random.chance(70) ? .external : .internal }
    return random.chance(8) ? .forbids : random.chance(80) ? .inner : .reenters
  }

  /// Returns false for a transition between two regions, which is an error in a flow.
  private func isPossible(_ chart: Chart, _ source: Int32, _ transition: Drawing.Transition) -> Bool
  {
    guard dialect == .flow, !transition.to.isEmpty else {
      return !transition.to.isEmpty || transition.reach == .stays || transition.reach == .forbids
    }
    let targets = transition.to.compactMap { path in
      chart.states.firstIndex { $0.path == path }.map(Int32.init)
    }
    var around = source
    while around > 0, !targets.allSatisfy({ chart.contains(around, $0) }) {
      around = chart.states[Int(around)].parent
    }
    return around == source || chart.states[Int(around)].kind != .parallel
  }
}
