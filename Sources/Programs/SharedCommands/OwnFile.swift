import FlowTools

/// By which a file is known that a command wrote, and may write over.
package enum OwnFile {
  /// A scenario that was played at the prompt, or recorded from a log.
  package static func isScenario(_ beginning: [UInt8]) -> Bool {
    let text = OwnFile.text(beginning)
    return text.hasPrefix(ScenarioWriter.firstLine)
      || text.hasPrefix("flow \"") && text.contains("\"\n\nscenario(\"case ")
  }

  /// The beginning of a file.
  package static func text(_ beginning: [UInt8]) -> String {
    String(decoding: beginning, as: UTF8.self)
  }
}
