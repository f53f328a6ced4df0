import FlowLanguage

/// The texts of a flow, as a journal stores them.
package struct JournaledFlow: Sendable, Hashable {
  /// A file of a flow.
  package struct Text: Sendable, Hashable {
    /// The name of the file, as messages show it.
    package let name: String
    /// The text of the file.
    package let text: String

    /// Makes the text of a file.
    package init(name: String, text: String) { (self.name, self.text) = (name, text) }
  }

  /// The name of the flow's file, as messages show it.
  package let name: String
  /// The hash of the texts; equal texts have the same.
  package let hash: String
  /// The version of the flow, as `version(n)` declares it.
  package let version: Int
  /// The texts of the flow's file and of the modules that it requires.
  package let texts: [Text]

  /// True if the flow is an SCXML document.
  package var isDocument: Bool { name.hasSuffix(FlowFile.suffixOfDocuments) }

  /// Makes the texts of a flow.
  package init(name: String, hash: String, version: Int, texts: [Text]) {
    (self.name, self.hash, self.version, self.texts) = (name, hash, version, texts)
  }
}
