import StateCharts

/// The index of each transition among those that its state lists for the same trigger.
struct TransitionPlaces {
  private let chart: CompiledChart
  private var places: [Int] = []
  /// The first transition without a condition among them, if it comes before this one.
  private var opens: [CompiledChart.TransitionNumber?] = []

  init(_ chart: CompiledChart) {
    self.chart = chart
    for (number, state) in chart.chart.states.enumerated() {
      var counts: [Chart.Trigger: Int] = [:]
      var open: [Chart.Trigger: CompiledChart.TransitionNumber] = [:]
      for (index, transition) in state.transitions.enumerated() {
        places.append(counts[transition.trigger, default: 0])
        counts[transition.trigger, default: 0] += 1
        opens.append(open[transition.trigger])
        if transition.condition == nil, open[transition.trigger] == nil {
          open[transition.trigger] = chart.transitionNumber(Int32(number), index)
        }
      }
    }
  }

  func place(of number: CompiledChart.TransitionNumber) -> Int { places[Int(number)] }

  /// Returns the earlier transition that has no condition, if there is any.
  func open(before number: CompiledChart.TransitionNumber) -> Chart.Transition? {
    opens[Int(number)].map { chart.transition($0) }
  }
}
