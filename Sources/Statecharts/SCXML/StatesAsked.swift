/// The states in the calls `In('ID')` of an expression or script, as far as the ids are literals.
struct StatesAsked {
  private(set) var ids: [String] = []
  private var rest: Substring

  /// - Parameter comment: the mark that begins a comment up to the end of the line.
  init(in text: String, commentsAs comment: String) {
    rest = text[...]
    var before: Character = " "
    while let first = rest.first {
      if rest.hasPrefix(comment) {
        rest = rest.drop { !$0.isNewline }
      } else if first == "'" || first == "\"" {
        _ = literal()
      } else if rest.hasPrefix("In"), !StatesAsked.isOfName(before) {
        rest = rest.dropFirst(2)
        addAskedState()
      } else {
        rest.removeFirst()
      }
      before = first
    }
  }

  /// Adds the argument of a call if it is a single literal.
  private mutating func addAskedState() {
    guard rest.first.map(StatesAsked.isOfName) != true else { return }
    skipBlanks()
    guard rest.first == "(" else { return }
    rest.removeFirst()
    skipBlanks()
    guard let id = literal() else { return }
    skipBlanks()
    if rest.first == ")" { ids.append(id) }
  }

  /// Parses a quoted text; returns nil if none begins here.
  private mutating func literal() -> String? {
    guard let mark = rest.first, mark == "'" || mark == "\"" else { return nil }
    rest.removeFirst()
    var text = ""
    while let next = rest.popFirst(), next != mark {
      if next == "\\", let escaped = rest.popFirst() {
        text.append(escaped)
      } else {
        text.append(next)
      }
    }
    return text
  }

  private mutating func skipBlanks() { rest = rest.drop(while: \.isWhitespace) }

  private static func isOfName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_.:".contains(character)
  }
}
