extension ScriptError {
  /// Moves the position "file:line: " from Lua's message into `chunk` and `line`.
  ///
  /// It overrides the innermost frame, because it is the position that the script means: `error(message, 2)` blames
  /// the caller.
  mutating func takePlaceFromMessage() {
    guard kind == .runtime, let (place, rest) = ScriptError.splitPlace(message) else { return }
    if place.file == "[moonlatch]" {
      message = rest
    } else if let file = wholeName(of: place.file) {
      chunk = file
      line = place.line
      message = rest
    }
  }

  /// Returns the full name of a file in Lua's message; nil if the text only looks like one, as in `error("12:30:
  /// lunch", 0)`.
  ///
  /// Lua truncates long names: `...der/flow.lua`.
  private func wholeName(of file: String) -> String? {
    let isCut = file.hasPrefix("...")
    let end = isCut ? String(file.dropFirst(3)) : file
    if let chunk, isCut ? chunk.hasSuffix(end) : chunk == file { return chunk }
    if traceback.contains(where: { $0.hasPrefix(file + ":") })
      || file.hasSuffix(".lua") || file.hasSuffix(".scxml")
    {
      return file
    }
    return nil
  }

  /// Splits "file:line: rest" at the first "digits: " after a colon, on the first line.
  package static func splitPlace(_ text: String) -> ((file: String, line: Int), String)? {
    let firstLine = text.prefix { $0 != "\n" }
    var start = firstLine.startIndex
    while let colon = firstLine[start...].firstIndex(of: ":") {
      let digits = firstLine[firstLine.index(after: colon)...].prefix { $0.isNumber }
      let rest = firstLine[digits.endIndex...]
      if let line = Int(digits), colon != firstLine.startIndex, rest.hasPrefix(": ") {
        let after = text.index(digits.endIndex, offsetBy: 2)
        return ((String(firstLine[..<colon]), line), String(text[after...]))
      }
      start = firstLine.index(after: colon)
    }
    return nil
  }
}
