import FlowLanguage
import LuaRuntime

extension Flow {
  /// Returns the effect with that title and with that ordinal among those of the title.
  package func effect(titled title: String, ordinal: Int) -> Effect? {
    effects.first { $0.title == title && $0.ordinal == ordinal }
  }
}
