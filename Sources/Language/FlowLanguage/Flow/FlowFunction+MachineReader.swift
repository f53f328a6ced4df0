import LuaRuntime
import StateCharts

extension FlowFunction {
  /// Creates a function that the prelude holds inside a table; nil if there is none.
  package convenience init?(_ entry: Value?, name: String) {
    guard let entry, let reference = entry["ref"]?.integerValue else { return nil }
    self.init(
      name: name,
      place: SourcePlace(
        file: entry["file"]?.stringValue ?? "", line: entry["line"]?.integerValue ?? 0),
      lastLine: entry["last_line"]?.integerValue ?? 0,
      parameters: entry["parameters"]?.integerValue ?? 0,
      reference: LuaReference(number: reference))
  }
}
