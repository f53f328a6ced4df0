import FlowTools

/// The recognition of files that a command wrote, and so may overwrite.
package enum OwnFile {
  /// Returns true for a scenario that was saved at the prompt or recorded from a log.
  package static func isScenario(_ beginning: [UInt8]) -> Bool {
    let text = OwnFile.text(beginning)
    return text.hasPrefix(ScenarioWriter.firstLine)
      || text.hasPrefix("flow \"") && text.contains("\"\n\nscenario(\"case ")
  }

  /// Returns the beginning of a file as text.
  package static func text(_ beginning: [UInt8]) -> String {
    String(decoding: beginning, as: UTF8.self)
  }
}
