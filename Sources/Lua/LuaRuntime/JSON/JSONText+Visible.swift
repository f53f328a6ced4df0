import StateBlocks

extension JSONText {
  /// Returns a value as JSON on one line, with characters that a terminal or a CI server would obey written as
  /// escapes.
  package static func visible(_ value: Value) -> String {
    let json = text(value)
    guard json.mayCommand else { return json }
    var visible = ""
    let scalars = json.unicodeScalars
    for index in scalars.indices {
      let scalar = scalars[index]
      if scalar.isCommand || scalars.beginsCommand(at: index, beginsLine: false) {
        let digits = String(scalar.value, radix: 16)
        visible += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      } else {
        visible.unicodeScalars.append(scalar)
      }
    }
    return visible
  }
}
