/// Statecharts as nested clusters.
extension DOTWriter {
  func write(_ chart: FlowDrawing.Chart, _ index: Int) {
    block("subgraph cluster_machine\(index)") {
      line(
        "label=<machine <b>\(escaped(chart.name))</b>\(small(chart.notes))>; fontsize=13; "
          + "style=rounded; color=\"#9db4c8\"; bgcolor=\"#f3f8fc\"; margin=14;")
      let names = ChartNames(chart, "m\(index)")
      write(names, inside: nil, depth: 0)
      for arrow in chart.arrows { write(arrow, names) }
    }
  }

  /// Writes the children of a state, and all ends of arrows beside them.
  private func write(_ names: ChartNames, inside parent: Int?, depth: Int) {
    let states = names.inside(parent)
    if names.begins(in: parent) {
      line(
        "\(names.name(of: .initial(parent))) "
          + "[shape=point, width=0.14, color=\"#22313f\", fillcolor=\"#22313f\"];")
    }
    for number in states {
      let state = names.chart.states[number]
      if state.hasStates {
        writeCluster(number, names, depth: depth)
      } else {
        let shape = state.isFinal ? ", peripheries=2" : ""
        line("\(names.name(of: .state(number))) [label=\(label(of: state))\(shape)];")
      }
      if state.isInitial, names.begins(in: parent) {
        write(
          FlowDrawing.Chart.Arrow(from: .initial(parent), to: .state(number), labels: []), names)
      }
    }
    for end in names.marks(in: parent) { line("\(names.name(of: end)) [\(style(of: end))];") }
  }

  private func writeCluster(_ number: Int, _ names: ChartNames, depth: Int) {
    let state = names.chart.states[number]
    block("subgraph cluster_\(names.name(of: .state(number)))") {
      let border = state.isRegion ? "rounded,dashed" : "rounded"
      let color = depth.isMultiple(of: 2) ? "#ffffff" : "#f3f8fc"
      line(
        "label=<<b>\(escaped(state.name))</b>\(small(state.notes))>; fontsize=11; "
          + "style=\"\(border)\"; color=\"#9db4c8\"; bgcolor=\"\(color)\"; margin=10;")
      write(names, inside: number, depth: depth + 1)
    }
  }

  private func write(_ arrow: FlowDrawing.Chart.Arrow, _ names: ChartNames) {
    var attributes = arrow.labels.isEmpty ? [] : ["label=\(quoted(arrow.labels))"]
    if case .fork = arrow.to { attributes.append("arrowhead=none") }
    let tail = arrow.isBack ? names.entrance(of: arrow.from) : names.exit(of: arrow.from)
    let head = arrow.isBack ? names.exit(of: arrow.to) : names.entrance(of: arrow.to)
    var ends = (names.name(of: tail), names.name(of: head))
    var sides = ("tail", "head")
    // Written in reverse, a back arrow keeps its target on the left.
    if arrow.isBack {
      (ends, sides) = ((ends.1, ends.0), (sides.1, sides.0))
      if !arrow.isEventless { attributes.append("dir=back") }
    }
    if arrow.isEventless {
      attributes.append("dir=both, arrow\(sides.0)=odot, arrow\(sides.1)=normal")
    }
    if tail != arrow.from {
      attributes.append("l\(sides.0)=cluster_\(names.name(of: arrow.from))")
    }
    if head != arrow.to {
      attributes.append("l\(sides.1)=cluster_\(names.name(of: arrow.to))")
    }
    let list = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
    line("\(ends.0) -> \(ends.1)\(list);")
  }

  private func style(of end: FlowDrawing.Chart.End) -> String {
    switch end {
    case .any: "label=\"any state\", shape=plaintext, style=\"\", fontcolor=\"#5b6b7b\""
    case .history(_, let depth):
      "label=\"\(depth == .deep ? "H*" : "H")\", shape=circle, width=0.3, fixedsize=true, margin=0"
    case .fork:
      "label=\"\", shape=box, width=0.06, height=0.35, style=filled, fillcolor=\"#22313f\""
    case .state, .initial: ""
    }
  }

  private func label(of state: FlowDrawing.Chart.State) -> String {
    state.notes.isEmpty ? quoted(state.name) : "<\(escaped(state.name))\(small(state.notes))>"
  }

  private func small(_ notes: [String]) -> String {
    notes.map { "<br/><font point-size=\"9\" color=\"#5b6b7b\">\(escaped($0))</font>" }.joined()
  }
}
