import StateCharts

/// An interpreter behind a reference, because moving one takes longer than most of its work.
final class LentInterpreter {
  @exclusivity(unchecked) package var interpreter: ChartInterpreter

  package init(_ chart: CompiledChart) { interpreter = ChartInterpreter(chart) }
}
