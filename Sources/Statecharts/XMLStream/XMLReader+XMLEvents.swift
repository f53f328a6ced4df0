/// What a reader of XML tells, and how much it takes.
extension XMLReader {
  /// What stands in a document.
  package enum Event: Hashable, Sendable {
    case start(Element)
    /// Text between tags; one that is long comes in pieces.
    case text(String)
    /// The end of the element of that name, also of one without content.
    case end(String)
  }

  /// The beginning of an element.
  package struct Element: Hashable, Sendable {
    package let name: String
    /// In the order of the document; no name comes twice.
    package let attributes: [Attribute]
    /// Where it stands, each counted from 1, the column in bytes.
    package let line: Int
    package let column: Int

    /// The value of an attribute.
    package subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
  }

  package struct Attribute: Hashable, Sendable {
    package let name: String
    package let value: String
  }

  /// What a document may hold.
  package struct Limits: Sendable {
    /// How deep elements may stand in one another.
    package var depth = 256
    /// How many bytes a tag or a comment may take.
    package var tag = 1 << 20
    package init() {}
  }

  /// Reads the next bytes into a buffer and gives how many there were, none at the end.
  package typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int
}
