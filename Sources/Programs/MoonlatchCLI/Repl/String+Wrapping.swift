extension String {
  /// Returns the text in lines of at most `width` characters, broken between words.
  ///
  /// All lines but the first are indented. A longer word has a line of its own. Escape sequences for colours do not
  /// count.
  func wrapped(to width: Int, indent: Int) -> String {
    let margin = String(repeating: " ", count: max(0, min(indent, width / 2)))
    var lines: [String] = []
    var line = ""
    var used = 0
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      let length = String(word).shownLength
      if used + 1 + length > width, !line.allSatisfy({ $0 == " " }) {
        if length == 0 { continue }
        lines.append(line.trimmingEnd)
        line = margin + word
        used = margin.count + length
      } else {
        let isFirst = lines.isEmpty && line.isEmpty && used == 0
        line += isFirst ? String(word) : " " + word
        used += length + (isFirst ? 0 : 1)
      }
    }
    return (lines + [line]).joined(separator: "\n")
  }

  /// The number of visible characters, without `ESC [ ... m`.
  var shownLength: Int { replacing(/\u{1b}\[[0-9;]*m/, with: "").count }
}
