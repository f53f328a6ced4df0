/// The active states of a case's machines as a text that SQL can query, too: JSON, machines in order.
package enum MachineText {
  package static func of(_ machines: [String: [String]]) -> String {
    if machines.isEmpty { return "{}" }
    let texts = machines.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
      "\(quoted($0.key)):[\($0.value.map(quoted).joined(separator: ","))]"
    }
    return "{\(texts.joined(separator: ","))}"
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Decodes a text that `of` has encoded; nil if it is malformed.
  package static func machines(of text: String) -> [String: [String]]? {
    var reader = Reader(rest: Substring(text).unicodeScalars)
    guard reader.take("{") else { return nil }
    var machines: [String: [String]] = [:]
    while let name = reader.quoted() {
      guard reader.take(":"), reader.take("[") else { return nil }
      var states: [String] = []
      while let state = reader.quoted() {
        states.append(state)
        if !reader.take(",") { break }
      }
      guard reader.take("]") else { return nil }
      machines[name] = states
      if !reader.take(",") { break }
    }
    return reader.take("}") && reader.rest.isEmpty ? machines : nil
  }

  private struct Reader {
    var rest: Substring.UnicodeScalarView

    mutating func take(_ wanted: Unicode.Scalar) -> Bool {
      guard rest.first == wanted else { return false }
      rest.removeFirst()
      return true
    }

    mutating func quoted() -> String? {
      guard take("\"") else { return nil }
      var text = String.UnicodeScalarView()
      while let scalar = rest.popFirst() {
        if scalar == "\"" { return String(text) }
        guard scalar == "\\" else {
          text.append(scalar)
          continue
        }
        guard let escaped = rest.popFirst() else { return nil }
        if escaped != "u" {
          text.append(escaped)
          continue
        }
        let digits = String(String.UnicodeScalarView(rest.prefix(4)))
        guard digits.utf8.count == 4, let code = UInt32(digits, radix: 16),
          let scalar = Unicode.Scalar(code)
        else { return nil }
        rest.removeFirst(4)
        text.append(scalar)
      }
      return nil
    }
  }
}
