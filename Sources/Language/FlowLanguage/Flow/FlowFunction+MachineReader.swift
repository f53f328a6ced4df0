import LuaRuntime
import StateCharts

extension FlowFunction {
  /// A function that the prelude keeps inside a table; nil for none.
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
