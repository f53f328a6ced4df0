import LuaRuntime
import Platform

extension Diagnostic {
  /// An error that ended the loading of a file.
  package init(_ error: ScriptError, in file: String) {
    self.init(file: error.chunk ?? file, line: error.line ?? 0, message: error.message)
    excerpt = error.excerpt
  }

  /// The same with the source lines around it.
  package func shown(in lines: [String: [Substring]]) -> Diagnostic {
    guard let lines = lines[file] else { return self }
    var shown = self
    shown.excerpt = SourceLines.around(line, of: lines)
    return shown
  }
}
