import LuaRuntime
import StateCharts

extension LoadedMachine {
  /// Returns a state's path, or the machine's name for the outermost state.
  package func path(of state: ChartInterpreter.StateNumber) -> String {
    state == 0 ? name : chart.chart.states[Int(state)].path
  }

  func historyValues(
    _ historyState: (state: ChartInterpreter.StateNumber, isDeep: Bool), _ keys: [Value] = []
  ) -> CaseState.Remembered {
    CaseState.Remembered(
      machine: name, keys: keys, state: chart.chart.states[Int(historyState.state)].path,
      isDeep: historyState.isDeep)
  }
}
