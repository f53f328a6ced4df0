import FlowLanguage
import LuaRuntime

extension SourcePlace {
  /// Reads the place of a declaration in the prelude's description.
  init(describedIn entry: Value) {
    self.init(file: entry["file"]?.stringValue ?? "", line: entry["line"]?.integerValue ?? 0)
  }
}
