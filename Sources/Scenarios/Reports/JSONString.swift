import Moonlatch

/// Texts in quotes: YAML reads them as JSON does.
enum JSONString {
  static func text(_ text: String) -> String { JSONText.visible(.string(text)) }
}
