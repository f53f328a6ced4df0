import LuaRuntime
import StateCharts

extension ScriptError {
  /// Creates an error at a place.
  package init(_ kind: Kind, _ message: String, at place: SourcePlace) {
    self.init(kind: kind, message: message, chunk: place.file, line: place.line)
  }

  /// Sets the position of the error, if it has none.
  package mutating func take(_ place: SourcePlace) {
    if chunk == nil { (chunk, line) = (place.file, place.line) }
  }
}
