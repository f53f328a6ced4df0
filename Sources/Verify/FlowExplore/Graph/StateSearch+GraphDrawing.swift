import FlowTools
import LuaRuntime

extension StateSearch {
  /// Returns the graph as a file; fails unless all states were explored.
  func graph(
    _ format: ExploredGraphFormat, _ title: String, _ ending: ExplorationReport.Ending
  ) -> Result<String, ExplorationError> {
    guard ending == .whole else {
      return .failure(
        ExplorationError(.setup, "a graph needs all states, and not all were explored"))
    }
    do throws(ExplorationError) {
      return .success(try ExploredGraph(self).text(format, title: title))
    } catch {
      return .failure(error)
    }
  }
}
