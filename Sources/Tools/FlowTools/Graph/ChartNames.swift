/// The identifiers of the parts of a drawn chart, for formats in which names must be words.
struct ChartNames {
  let chart: FlowDrawing.Chart
  private let prefix: String
  private let children: [Int?: [Int]]
  /// The last state inside each state.
  private let last: [Int]
  private let marksByState: [Int?: [FlowDrawing.Chart.End]]

  init(_ chart: FlowDrawing.Chart, _ prefix: String) {
    (self.chart, self.prefix) = (chart, prefix)
    children = Dictionary(grouping: chart.states.indices) { chart.states[$0].parent }
    var last = Array(chart.states.indices)
    for state in chart.states.indices.reversed() {
      guard let parent = chart.states[state].parent else { continue }
      last[parent] = max(last[parent], last[state])
    }
    self.last = last
    var marks: [Int?: [FlowDrawing.Chart.End]] = [:]
    var known: Set<FlowDrawing.Chart.End> = []
    for end in chart.arrows.flatMap({ [$0.from, $0.to] }) {
      let parent: Int?
      switch end {
      case .any(let state): parent = state
      case .history(let state, _): parent = state
      case .fork(_, let state): parent = state
      case .state, .initial: continue
      }
      if known.insert(end).inserted { marks[parent, default: []].append(end) }
    }
    marksByState = marks
  }

  /// Returns the numbers of the children of a state; of nil, the outermost states.
  func inside(_ parent: Int?) -> [Int] { children[parent] ?? [] }

  /// Returns true if a state begins with one of its children, and not with all.
  func begins(in parent: Int?) -> Bool {
    inside(parent).first.map { !chart.states[$0].isRegion } ?? false
  }

  /// Returns the ends of arrows inside a state that are not states.
  func marks(in parent: Int?) -> [FlowDrawing.Chart.End] { marksByState[parent] ?? [] }

  func name(of end: FlowDrawing.Chart.End) -> String {
    func part(_ word: String, _ state: Int?) -> String {
      state.map { "\(prefix)_\($0)_\(word)" } ?? "\(prefix)_\(word)"
    }
    switch end {
    case .state(let number): return "\(prefix)_\(number)"
    case .any(let state): return part("any", state)
    case .initial(let state): return part("initial", state)
    case .history(let state, let depth): return part(depth == .deep ? "deep" : "history", state)
    case .fork(let number, _): return "\(prefix)_fork\(number)"
    }
  }

  /// Returns the end that stands for a compound state on its left, where it begins; arrows need a node without
  /// children.
  func entrance(of end: FlowDrawing.Chart.End) -> FlowDrawing.Chart.End {
    guard case .state(var number) = end else { return end }
    while let first = inside(number).first {
      if begins(in: number) { return .initial(number) }
      number = first
    }
    return .state(number)
  }

  /// Returns the end that stands for a compound state on its right: the last state in the largest of its regions.
  func exit(of end: FlowDrawing.Chart.End) -> FlowDrawing.Chart.End {
    guard case .state(var number) = end else { return end }
    while let next = begins(in: number)
      ? inside(number).last : inside(number).max(by: { last[$0] - $0 < last[$1] - $1 })
    { number = next }
    return .state(number)
  }
}
