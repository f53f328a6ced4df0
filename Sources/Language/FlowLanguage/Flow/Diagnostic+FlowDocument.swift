import SCXML

extension Diagnostic {
  /// What is wrong with a document, with its column.
  package init(_ fault: DocumentFault) {
    self.init(
      file: fault.file, line: fault.line, message: "column \(fault.column): \(fault.message)")
  }
}
