import XMLStream

/// An element of a document, with its content.
final class DocumentElement {
  enum Node {
    case element(DocumentElement)
    /// Text, and the line in which it begins.
    case text(String, line: Int)
  }

  /// The name without its prefix; nil if the element is not in SCXML's namespace.
  let name: String?
  /// The namespace; nil if it has none.
  let namespace: String?
  let written: String
  let attributes: [XMLReader.Attribute]
  let line: Int
  let column: Int
  fileprivate(set) var nodes: [Node] = []

  init(_ element: XMLReader.Element, name: String?, namespace: String?) {
    (self.name, self.namespace) = (name, namespace)
    (written, attributes) = (element.name, element.attributes)
    (line, column) = (element.line, element.column)
  }

  subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

  /// The child elements.
  var elements: [DocumentElement] {
    nodes.compactMap { if case .element(let element) = $0 { element } else { nil } }
  }

  /// The text of its content, and the line in which it begins.
  var text: (text: String, line: Int) {
    var (all, first) = ("", line)
    for case .text(let text, let line) in nodes {
      if all.isEmpty { first = line }
      all += text
    }
    return (all, first)
  }

  /// The first text between its child elements, and its line; nil if there are only blanks.
  var ownText: (text: String, line: Int)? {
    for case .text(let text, let line) in nodes {
      let trimmed = LuaText.trimmed(text)
      if trimmed.isEmpty { continue }
      let before = text.utf8.prefix { LuaText.isBlank($0) }
      return (trimmed, line + before.count { $0 == 10 })
    }
    return nil
  }

  /// The content as XML.
  var inside: String {
    var text = ""
    writeInside(to: &text)
    return text
  }

  private func writeInside(to text: inout String) {
    for node in nodes {
      switch node {
      case .text(let own, _): text += DocumentElement.escaped(own)
      case .element(let element): element.write(to: &text)
      }
    }
  }

  private func write(to text: inout String) {
    text += "<\(written)"
    for attribute in attributes {
      text += " \(attribute.name)=\"\(DocumentElement.escaped(attribute.value))\""
    }
    if nodes.isEmpty {
      text += "/>"
    } else {
      text += ">"
      writeInside(to: &text)
      text += "</\(written)>"
    }
  }

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 38 || $0 == 60 || $0 == 34 }) else { return text }
    var escaped: [UInt8] = []
    escaped.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case 38: escaped += "&amp;".utf8
      case 60: escaped += "&lt;".utf8
      case 34: escaped += "&quot;".utf8
      default: escaped.append(byte)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  /// The largest number of elements in a document.
  static let mostElements = 100_000
  static let mostAttributes = 1_000
  static let namespace = "http://www.w3.org/2005/07/scxml"

  /// Parses a whole document, whose text is UTF-8.
  ///
  /// - Throws: `DocumentFault` if the document is not well-formed or too large.
  static func read(_ text: String, file: String) throws(DocumentFault) -> DocumentElement {
    var bytes = Array(text.utf8)[...]
    let reader = XMLReader(encoding: "UTF-8") { buffer in
      let count = min(buffer.count, bytes.count)
      buffer.copyBytes(from: bytes.prefix(count))
      bytes = bytes.dropFirst(count)
      return count
    }
    var open: [DocumentElement] = []
    var spaces: [[String: String]] = [[:]]
    var root: DocumentElement?
    var count = 0
    do {
      while let event = try reader.next() {
        switch event {
        case .start(let element):
          count += 1
          guard count <= mostElements else {
            throw DocumentFault(
              file: file, line: element.line, column: element.column,
              message: "there are more than \(mostElements) elements, the limit of a document")
          }
          guard element.attributes.count <= mostAttributes else {
            throw DocumentFault(
              file: file, line: element.line, column: element.column,
              message:
                "an element has more than \(mostAttributes) attributes, the limit of an element"
            )
          }
          var names = spaces.last ?? [:]
          for attribute in element.attributes where attribute.name.hasPrefix("xmlns") {
            names[String(attribute.name.dropFirst(6))] = attribute.value
          }
          spaces.append(names)
          let (own, namespace) = split(element.name, names)
          let made = DocumentElement(element, name: own, namespace: namespace)
          open.last?.nodes.append(.element(made))
          if root == nil { root = made }
          open.append(made)
        case .end:
          open.removeLast()
          spaces.removeLast()
        case .text(let text):
          open.last?.nodes.append(.text(text, line: reader.line))
        }
      }
    } catch let fault as DocumentFault {
      throw fault
    } catch let error as XMLError {
      throw DocumentFault(
        file: file, line: error.line, column: error.column, message: error.reason)
    } catch {
      throw DocumentFault(file: file, line: 1, column: 1, message: "\(error)")
    }
    guard let root else {
      throw DocumentFault(file: file, line: 1, column: 1, message: "the document is empty")
    }
    return root
  }

  /// Returns the name without its prefix if it is SCXML's, and the namespace.
  ///
  /// A document without namespaces counts as SCXML.
  private static func split(
    _ name: String, _ spaces: [String: String]
  ) -> (name: String?, namespace: String?) {
    let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let prefix = parts.count == 2 ? String(parts[0]) : ""
    let own = parts.count == 2 ? String(parts[1]) : name
    guard let space = spaces[prefix], !space.isEmpty else {
      return (spaces[prefix] != nil || prefix.isEmpty ? own : nil, nil)
    }
    return (space == namespace ? own : nil, space)
  }
}
