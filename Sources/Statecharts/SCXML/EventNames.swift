/// The syntax of event names and event descriptors: words separated by dots.
enum EventNames {
  /// The characters that no name contains: they belong to an expression, or to a list in another notation.
  private static let foreign: Set<Character> = [
    "'", "\"", ",", ";", "(", ")", "[", "]", "{", "}", "=", "<", ">", "&", "|", "`",
  ]

  /// Returns true for a name, a prefix (`a.*`), or `*`.
  static func isDescriptor(_ event: String) -> Bool {
    if event == ".*" { return true }
    if event.contains(where: foreign.contains) { return false }
    let words = event.split(separator: ".", omittingEmptySubsequences: false)
    if words.dropLast().contains(where: { $0.isEmpty || $0.contains("*") }) { return false }
    return words.last == "*" || words.last?.contains("*") == false
  }

  /// Returns true for the name of one event, as in `<raise>` and `<send>`.
  static func isName(_ event: String) -> Bool {
    isDescriptor(event) && !event.contains("*") && !event.contains(where: \.isWhitespace)
  }

  /// Returns the error message for a descriptor or a name.
  ///
  /// - Parameter all: the words of the same attribute.
  static func misfit(_ event: String, in all: [String]) -> String {
    let plain = event.filter { !foreign.contains($0) }
    if event.contains(","), !plain.isEmpty {
      let names = all.flatMap { $0.split(separator: ",") }.joined(separator: " ")
      return
        "event \"\(event)\" is not a name: write blanks between events: event=\"\(names)\""
    }
    if event.contains(where: { $0 == "'" || $0 == "\"" }), !plain.isEmpty {
      return
        "event \"\(event)\" is not a name, because it has quotation marks: write event=\"\(plain)\""
    }
    return "event \"\(event)\" is not a name: write words with dots between them, or *"
  }
}
