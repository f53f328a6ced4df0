import FlowLanguage
import LuaRuntime

extension Diagnostic {
  /// Reads a fault as `scenario.lua` describes it.
  package init(_ described: Value, in file: String) {
    self.init(
      file: described["file"]?.stringValue ?? file, line: described["line"]?.integerValue ?? 0,
      message: described["message"]?.stringValue ?? "")
  }
}
