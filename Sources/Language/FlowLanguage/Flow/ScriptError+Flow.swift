import LuaRuntime
import StateCharts

extension ScriptError {
  /// Something that went wrong at a place.
  package init(_ kind: Kind, _ message: String, at place: SourcePlace) {
    self.init(kind: kind, message: message, chunk: place.file, line: place.line)
  }

  /// It was there, where it has no place of its own.
  package mutating func take(_ place: SourcePlace) {
    if chunk == nil { (chunk, line) = (place.file, place.line) }
  }
}
