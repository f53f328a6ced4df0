/// An annotation in the output of a GitHub workflow.
package enum GitHubAnnotation {
  /// Returns the line of an annotation; `level` is `error` or `warning`.
  package static func text(
    _ level: String, _ file: String, _ line: Int?, _ title: String, _ message: String
  ) -> String {
    let place = line.map { ",line=\($0)" } ?? ""
    return "::\(level) file=\(property(file))\(place),title=\(property(title))::\(data(message))\n"
  }

  private static func data(_ text: String) -> String { escaped(text, ["%", "\r", "\n"]) }

  private static func property(_ text: String) -> String {
    escaped(text, ["%", "\r", "\n", ":", ","])
  }

  /// Escapes a text scalar by scalar.
  ///
  /// A comma with a combining accent is another character, but still a comma to GitHub.
  private static func escaped(_ text: String, _ special: Set<Unicode.Scalar>) -> String {
    var escaped = ""
    for scalar in text.replacing("\r\n", with: "\n").visible.unicodeScalars {
      if special.contains(scalar) {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        escaped += "%" + (digits.count < 2 ? "0" : "") + digits
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
