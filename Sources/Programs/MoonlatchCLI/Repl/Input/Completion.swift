/// The result of pressing Tab.
struct Completion: Equatable {
  /// The number of bytes before the cursor that the text replaces.
  var replaced = 0
  var text: String?
  /// The choices to show below the line if there are several.
  var choices: String?

  static let none = Completion()
}

/// A possible continuation of the input.
struct Candidate: Equatable {
  /// The text to insert.
  let text: String
  /// The note in the list of choices.
  var note: String?
  /// The text to insert behind it if it is the only candidate.
  var ending = ""
}

extension Completion {
  /// Creates the common prefix of the candidates; if that adds nothing, the list of all of them.
  init(_ candidates: [Candidate], of word: String, width: Int) {
    // A text with control characters cannot be seen before Enter, so it is not inserted.
    let fitting = candidates.filter { $0.text.hasPrefix(word) && $0.text.visibleLine == $0.text }
    self.init()
    guard let first = fitting.first else { return }
    if fitting.count == 1 {
      self = Completion(replaced: word.utf8.count, text: first.text + first.ending)
      return
    }
    let common = fitting.dropFirst().reduce(first.text) { $0.commonPrefix(with: $1.text) }
    if common != word {
      self = Completion(replaced: word.utf8.count, text: common)
    } else {
      self = Completion(choices: Completion.list(fitting, width: width))
    }
  }

  private static let most = 60

  /// Returns the candidates in columns, or with one per line if they have notes.
  private static func list(_ candidates: [Candidate], width: Int) -> String {
    let shown = candidates.prefix(most)
    var lines: [String] = []
    if shown.contains(where: { $0.note != nil }) {
      let longest = shown.map(\.text.count).max() ?? 0
      lines = shown.map { candidate in
        let gap = String(repeating: " ", count: longest - candidate.text.count + 2)
        return "  " + candidate.text + (candidate.note.map { gap + $0 } ?? "")
      }
    } else {
      let column = (shown.map(\.text.count).max() ?? 0) + 2
      let columns = max(1, (width - 2) / column)
      let rows = (shown.count + columns - 1) / columns
      lines = (0..<rows).map { row in
        stride(from: row, to: shown.count, by: rows).map {
          let text = shown[$0].text
          return text + String(repeating: " ", count: column - text.count)
        }.reduce("  ", +)
      }
    }
    if candidates.count > most { lines.append("  and \(candidates.count - most) more") }
    return lines.map { String($0.prefix(max(10, width - 1))).trimmingEnd }.joined(separator: "\n")
  }
}
