/// The events of an XML reader, and its limits.
extension XMLReader {
  /// An event: the start of an element, text, or the end of an element.
  package enum Event: Hashable, Sendable {
    case start(Element)
    /// Text between tags; long text comes in several events.
    case text(String)
    /// The end of the element of that name, also of an empty element.
    case end(String)
  }

  /// The start tag of an element.
  package struct Element: Hashable, Sendable {
    package let name: String
    /// The attributes in document order; no name occurs twice.
    package let attributes: [Attribute]
    /// The line and the column of the start tag, counted from 1; the column counts bytes.
    package let line: Int
    package let column: Int

    /// The value of the attribute of that name; nil if there is none.
    package subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
  }

  package struct Attribute: Hashable, Sendable {
    package let name: String
    package let value: String
  }

  /// The limits on a document.
  package struct Limits: Sendable {
    /// The largest depth of nested elements.
    package var depth = 256
    /// The largest size of a tag or a comment in bytes.
    package var tag = 1 << 20
    package init() {}
  }

  /// A function that reads the next bytes into a buffer and returns their number, 0 at the end.
  package typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int
}
