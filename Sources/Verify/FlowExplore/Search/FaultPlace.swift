/// The place of a failure, regardless of the values in its message.
struct FaultPlace: Hashable, Sendable {
  /// The action, or the word for another kind of move: `time` or `effect`.
  let mover: String
  let place: String

  init(mover: String, _ sentence: String) {
    self.mover = mover
    // An error without a place of its own gets the first place of its traceback.
    place = sentence.split(separator: "\n").lazy.compactMap(FaultPlace.place).first ?? sentence
  }

  /// Returns `flow.lua:6` for a line that contains `flow.lua:6: `.
  private static func place(_ line: Substring) -> String? {
    let bytes = line.utf8
    var colon = bytes.firstIndex(of: UInt8(ascii: ":"))
    while let first = colon {
      let digits = bytes[bytes.index(after: first)...].prefix { (48...57).contains($0) }
      let rest = bytes[digits.endIndex...]
      if !digits.isEmpty, rest.starts(with: ": ".utf8) { return String(line[..<digits.endIndex]) }
      colon = rest.firstIndex(of: UInt8(ascii: ":"))
    }
    return nil
  }
}
