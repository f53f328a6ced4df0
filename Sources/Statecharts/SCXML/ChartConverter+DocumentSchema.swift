extension ChartConverter {
  /// Checks the attributes of an element and its descendants, and text where none is allowed.
  ///
  /// Content that is a value or another document is skipped.
  mutating func checkAttributes(_ element: DocumentElement) {
    guard let name = element.name, let known = DocumentSchema.attributes[name] else { return }
    for attribute in element.attributes {
      let written = attribute.name
      if written == "xmlns" || written.contains(":") { continue }
      if let values = DocumentSchema.values[name]?[written], !values.contains(attribute.value) {
        fault(
          element, "\(written) must be \(values.joined(separator: " or ")), not \(attribute.value)")
      } else if !known.contains(written) {
        fault(element, unknownAttribute(written, of: name, among: known))
      }
    }
    if !DocumentSchema.withText.contains(name), let (text, line) = element.ownText {
      reader.fault(
        element, chunk,
        "text is not allowed in <\(element.written)>: \(ChartConverter.shown(text))",
        line: line)
    }
    if ["data", "assign", "content"].contains(name) { return }
    for child in element.elements where child.name != "scxml" { checkAttributes(child) }
  }

  private func unknownAttribute(
    _ written: String, of name: String, among known: [String]
  ) -> String {
    if let now = DocumentSchema.replacement(for: written, of: name) {
      return "\(written) of <\(name)> is of an early working draft: write \(now)"
    }
    let near = reader.surroundings.suggestion(written, known)
    let all = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
    return "<\(name)> has no attribute \(written)" + (near.isEmpty ? ": \(all)" : near)
  }
}
