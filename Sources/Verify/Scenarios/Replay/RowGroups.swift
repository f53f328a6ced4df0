/// Messages about rows of a log, grouped by the rule behind them, whatever values they contain.
package struct RowGroups {
  /// The rows with messages of the same rule.
  package struct Group: Equatable {
    /// The message of the first row.
    package let example: String
    package let firstLine: Int
    package fileprivate(set) var rows = 1
    /// True if other rows have other values in the message.
    package fileprivate(set) var isVaried = false
  }

  /// The number of groups that are distinguished, limited because a script may choose the words of a rule.
  package static let most = 1_000

  private var byRule: [String: Group] = [:]
  package private(set) var rows = 0
  /// The number of rows in groups beyond the limit.
  package private(set) var ungrouped = 0

  package init() {}

  /// Adds the message about a row.
  package mutating func add(_ message: String, line: Int) {
    rows += 1
    let rule = RowGroups.rule(of: message)
    if let group = byRule[rule] {
      byRule[rule]?.rows += 1
      if group.example != message { byRule[rule]?.isVaried = true }
    } else if byRule.count < RowGroups.most {
      byRule[rule] = Group(example: message, firstLine: line)
    } else {
      ungrouped += 1
    }
  }

  /// The groups in the order of the log.
  package var groups: [Group] { byRule.values.sorted { $0.firstLine < $1.firstLine } }

  /// Returns a message without the values in it.
  ///
  /// Values are texts in quotes, numbers, names that contain a digit, and everything after `got`. The line of a script
  /// stays, because it distinguishes rules.
  static func rule(of message: String) -> String {
    var rule: [UInt8] = []
    var rest = Array(message.utf8)[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: "\"") {
        rest = RowGroups.behindQuotes(rest)
        rule += "\"\"".utf8
      } else if RowGroups.isWord(byte) {
        let word = rest.prefix(while: RowGroups.isWord)
        let isPlace = rule.last == UInt8(ascii: ":") && rest[word.endIndex...].first == rule.last
        rest = rest[word.endIndex...]
        let isValue = !isPlace && word.contains { (48...57).contains($0) }
        rule += isValue ? Array("#".utf8) : Array(word)
        if word.elementsEqual("got".utf8) { break }
      } else {
        rule.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: rule, as: UTF8.self)
  }

  private static func behindQuotes(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = text.dropFirst()
    while let byte = rest.first, byte != UInt8(ascii: "\"") {
      rest = rest.dropFirst(byte == UInt8(ascii: "\\") ? 2 : 1)
    }
    return rest.dropFirst()
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte > 127 || (48...57).contains(byte) || (97...122).contains(byte | 0x20)
      || "._-+".utf8.contains(byte)
  }
}

extension RowGroups.Group {
  /// The message with the number of further rows that have it, if there are any.
  package var text: String {
    guard rows > 1 else { return example }
    let more = rows == 2 ? "1 more row" : "\(rows - 1) more rows"
    return "\(example) (and \(more)\(isVaried ? " with other values" : ""))"
  }
}
