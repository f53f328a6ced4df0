import FlowLanguage
import LuaRuntime

extension Flow {
  /// The effect that messages call so, and which one of those.
  package func effect(titled title: String, ordinal: Int) -> Effect? {
    effects.first { $0.title == title && $0.ordinal == ordinal }
  }
}
