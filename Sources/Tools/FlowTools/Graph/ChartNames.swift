/// What the parts of a drawn chart are called where names have to be words.
struct ChartNames {
  let chart: FlowDrawing.Chart
  private let prefix: String
  private let children: [Int?: [Int]]
  /// The last state inside each.
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

  /// The numbers of the states right inside another one; of nil, the outermost.
  func inside(_ parent: Int?) -> [Int] { children[parent] ?? [] }

  /// Whether a state begins with one of those inside it, and not with all.
  func begins(in parent: Int?) -> Bool {
    inside(parent).first.map { !chart.states[$0].isRegion } ?? false
  }

  /// What stands inside a state without being one.
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

  /// What stands for a state with others inside on its left, for arrows need something without:
  /// where it begins.
  func entrance(of end: FlowDrawing.Chart.End) -> FlowDrawing.Chart.End {
    guard case .state(var number) = end else { return end }
    while let first = inside(number).first {
      if begins(in: number) { return .initial(number) }
      number = first
    }
    return .state(number)
  }

  /// What stands for it on its right: the last inside it, in the largest of its regions.
  func exit(of end: FlowDrawing.Chart.End) -> FlowDrawing.Chart.End {
    guard case .state(var number) = end else { return end }
    while let next = begins(in: number)
      ? inside(number).last : inside(number).max(by: { last[$0] - $0 < last[$1] - $1 })
    { number = next }
    return .state(number)
  }
}
