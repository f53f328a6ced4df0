import StateBlocks

extension JSONText {
  /// JSON on one line of which a terminal or a CI server obeys nothing: the same value, with such
  /// characters written by their numbers.
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
