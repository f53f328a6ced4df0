/// The format in which every deviation is written as CSV.
package enum DeviationsCSV {
  package static let header = "line,case,action,outcome,by,reason\r\n"

  package static func row(_ deviation: ReplayDeviation) -> String {
    let outcome = deviation.isRefusal ? "refused" : "failed"
    return [
      String(deviation.line), deviation.name, deviation.action, outcome, deviation.by,
      deviation.reason,
    ].map(cell).joined(separator: ",") + "\r\n"
  }

  private static func cell(_ text: String) -> String {
    guard text.utf8.contains(where: { [34, 44, 10, 13].contains($0) }) else { return text }
    // The text is split by scalars, because a quote that carries an accent is a quote all the same.
    let parts = text.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false)
    return "\"" + parts.map { String($0) }.joined(separator: "\"\"") + "\""
  }
}
