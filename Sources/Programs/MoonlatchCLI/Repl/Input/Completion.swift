/// What Tab came to.
struct Completion: Equatable {
  /// So many bytes before the cursor give way to the text.
  var replaced = 0
  var text: String?
  /// Shown below the line where there is more than one way to go on.
  var choices: String?

  static let none = Completion()
}

/// Something that may stand next.
struct Candidate: Equatable {
  /// What is inserted.
  let text: String
  /// What the list of choices says of it.
  var note: String?
  /// What follows it where it is the only one.
  var ending = ""
}

extension Completion {
  /// As far as the candidates agree; all of them where that is no further than what stands there.
  init(_ candidates: [Candidate], of word: String, width: Int) {
    // What would not be shown as it is cannot be seen before Enter, and is not inserted.
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

  /// Columns of names, or a line each where there is more to say of them.
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
