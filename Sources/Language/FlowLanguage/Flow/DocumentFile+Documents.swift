import LuaRuntime
import SCXML
import StateCharts

extension DocumentFile {
  /// The place of each function among those that the chunks declare one behind the other.
  package var order: [Int] {
    let sorted = functions.indices.sorted { (functions[$0].chunk, $0) < (functions[$1].chunk, $1) }
    var order = Array(repeating: 0, count: functions.count)
    for (place, function) in sorted.enumerated() { order[function] = place }
    return order
  }
}
