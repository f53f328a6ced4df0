import SCXML

extension Diagnostic {
  /// Creates a diagnostic for a fault of a document, with its column.
  package init(_ fault: DocumentFault) {
    self.init(
      file: fault.file, line: fault.line, message: "column \(fault.column): \(fault.message)")
  }
}
