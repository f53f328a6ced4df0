import LuaRuntime
import SCXML
import StateCharts

extension DocumentFile {
  /// The position of each function in the order in which the chunks declare them.
  package var order: [Int] {
    let sorted = functions.indices.sorted { (functions[$0].chunk, $0) < (functions[$1].chunk, $1) }
    var order = Array(repeating: 0, count: functions.count)
    for (place, function) in sorted.enumerated() { order[function] = place }
    return order
  }
}
