import LuaRuntime
import Platform

extension Diagnostic {
  /// Creates a diagnostic for an error that ended the loading of a file.
  package init(_ error: ScriptError, in file: String) {
    self.init(file: error.chunk ?? file, line: error.line ?? 0, message: error.message)
    excerpt = error.excerpt
  }

  /// Returns the diagnostic with the source lines around its position.
  package func shown(in lines: [String: [Substring]]) -> Diagnostic {
    guard let lines = lines[file] else { return self }
    var shown = self
    shown.excerpt = SourceLines.around(line, of: lines)
    return shown
  }
}
