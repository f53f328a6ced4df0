import Testing

@testable import XMLStream

/// Returns bytes a few at a time, as `read` may.
private func source(_ bytes: some Sequence<UInt8>, block: Int) -> XMLReader.Source {
  var rest = Array(bytes)[...]
  return { buffer in
    let next = rest.prefix(min(block, buffer.count))
    buffer.copyBytes(from: next)
    rest = rest.dropFirst(next.count)
    return next.count
  }
}

/// Returns the events of a document: `<name key=value>`, `text`, `</name>`, and the error that ended it, if any.
private func told(
  _ bytes: some Sequence<UInt8>, limits: XMLReader.Limits = .init(), keepsText: Bool = true,
  block: Int = 1 << 16
) throws -> [String] {
  let reader = XMLReader(limits: limits, keepsText: keepsText, source(bytes, block: block))
  var told: [String] = []
  do {
    while let event = try reader.next() {
      switch event {
      case .start(let element):
        let attributes = element.attributes.map { " \($0.name)=\($0.value)" }.joined()
        told.append("\(element.line):\(element.column) <\(element.name)\(attributes)>")
      case .text(let text): told.append(text)
      case .end(let name): told.append("</\(name)>")
      }
    }
  } catch let error as XMLError {
    told.append("\(error)")
  }
  return told
}

private func told(_ text: String) throws -> String {
  try told(text.utf8).last ?? ""
}

@Suite struct XMLReaderTests {
  @Test("elements, attributes and text are read in order, with line and column")
  func order() throws {
    let text =
      "<?xml version='1.0'?><!-- a -->\n<a b='1 &amp; &#x32;' x:c=\"é\">\n <d/>t<e></e></a>\n"
    let expected = [
      "2:1 <a b=1 & 2 x:c=é>", "\n", " ", "3:2 <d>", "</d>", "t", "3:7 <e>", "</e>", "</a>",
    ]
    #expect(try told(text.utf8) == expected)
    #expect(
      try told(text.utf8, block: 1).filter { $0.contains("<") }
        == expected.filter { $0.contains("<") })
    #expect(
      try told(text.utf8, keepsText: false) == expected.filter { $0.contains("<") })
  }

  @Test("an attribute is found by its name")
  func attribute() {
    let element = XMLReader.Element(
      name: "a", attributes: [.init(name: "b", value: "1")], line: 1, column: 1)
    #expect(element["b"] == "1")
    #expect(element["c"] == nil)
  }

  @Test("a document is read in its declared encoding, UTF-16 or Latin-1")
  func encodings() throws {
    let wide = "\u{feff}<a b='é'/>".utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
    #expect(try told(wide).first?.hasSuffix(" <a b=é>") == true)
    let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a b='".utf8) + [0xe9]
    #expect(try told(latin + Array("'/>".utf8)).first?.hasSuffix("<a b=é>") == true)
    #expect(
      try told("<?xml version='1.0' encoding='EBCDIC'?><a/>").hasSuffix(
        "the document's encoding is not supported: UTF-8, UTF-16, ISO-8859-1 and US-ASCII are"))
  }

  @Test("an unknown declared encoding is an error, even if the bytes are known")
  func declaredEncodings() throws {
    func isRead(_ encoding: String) throws -> Bool {
      let text = "<?xml version='1.0' encoding='\(encoding)'?><a/>"
      let reader = XMLReader(encoding: "UTF-8", XMLStreamTests.source(text.utf8, block: 64))
      do {
        while try reader.next() != nil {}
        return true
      } catch let error as XMLError {
        #expect(error.reason.contains("encoding is not supported"))
        return false
      }
    }
    for name in ["utf-8", "UTF-16", "iso-8859-1", "us-ascii"] { #expect(try isRead(name)) }
    for name in ["x-unknown-99", "windows-1252", "UTF-7", "EBCDIC"] {
      #expect(try !isRead(name))
    }
  }

  @Test(
    "a syntax error is reported after everything before it was read",
    arguments: [
      ("", "line 1, column 1: the document is empty"),
      (
        "<a>\n<b>",
        "line 2, column 4: the document ends before the end of <b>, which began in line 2"
      ),
      ("<a", "line 1, column 1: the document ends inside a tag"),
      ("<a>\n</b>", "line 2, column 3: the closing tag is not that of <a>, which began in line 1"),
      ("<a b='1' b='2'/>", "line 1, column 10: an attribute is given twice"),
      ("<a/><b/>", "line 1, column 5: there is text after the end of the document"),
      (
        "<a>&nbsp;</a>",
        "line 1, column 4: an entity that is not declared (&amp; &lt; &gt; &quot; and &apos; are)"
      ),
      ("<a>&#0;</a>", "line 1, column 4: a reference to an invalid character"),
      ("<a>< b</a>", "line 1, column 5: this is not XML"),
      ("<a><![CDATA[", "line 1, column 13: a CDATA section is not closed"),
      (
        "\n<?xml version='1.0'?>",
        "line 2, column 1: an XML declaration that is not at the start of the document"
      ),
    ])
  func faults(text: String, expected: String) throws { #expect(try told(text) == expected) }

  @Test("bytes that are not UTF-8 are reported with their position")
  func notText() throws {
    let expected = "line 2, column 3: bytes that are invalid in the document's encoding"
    #expect(try told(Array("<a>\n x".utf8) + [0xff, 0x41]).last == expected)
    #expect(
      try told(Array("<a\nb='".utf8) + [0xc0, 0x80] + Array("'/>".utf8)).last?.hasSuffix(
        "bytes that are invalid in the document's encoding") == true)
  }

  @Test("a document type is rejected, so that nothing expands and nothing else is opened")
  func documentType() throws {
    let laughs = "<!DOCTYPE a [<!ENTITY l 'ha'><!ENTITY m '&l;&l;'>]><a>&m;</a>"
    let outside = "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>"
    for text in [laughs, outside] {
      #expect(try told(text.utf8).count == 1)
      #expect(try told(text).contains("a document type declaration (<!DOCTYPE), which is not read"))
    }
  }

  @Test("elements can be nested up to the limit")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    #expect(try told(nested(256)) == "</a>")
    #expect(
      try told(nested(257))
        == "line 1, column 769: elements are nested more than 256 deep")
    let deep = try told(String(repeating: "<a>", count: 100_000).utf8)
    #expect(deep.count == 257)
  }

  @Test(
    "a tag or a comment that is too long is rejected before it is buffered",
    arguments: ["<a b='", "<a><!-- ", "<a><b ", "<a><?p "])
  func long(beginning: String) throws {
    var given = 0
    let reader = XMLReader { buffer in
      let text = Array((given == 0 ? beginning : "").utf8)
      buffer.copyBytes(from: text)
      for at in text.count..<buffer.count { buffer[at] = UInt8(ascii: "x") }
      given += buffer.count
      return buffer.count
    }
    let error = #expect(throws: XMLError.self) { while try reader.next() != nil {} }
    #expect(error?.reason == "a tag or a comment is longer than 1048576 bytes")
    #expect(given < 4 << 20)
  }

  @Test("a tag within the limit is read, and a longer one is not")
  func tag() throws {
    var limits = XMLReader.Limits()
    limits.tag = 100
    let tag = "<a b='" + String(repeating: "x", count: 90)
    #expect(try told((tag + "'/>").utf8, limits: limits).count == 2)
    #expect(
      try told((tag + "xx'/>").utf8, limits: limits) == [
        "line 1, column 1: a tag or a comment is longer than 100 bytes"
      ])
  }

  @Test("long text is read in pieces and does not count towards a limit")
  func text() throws {
    let text = "<a>" + String(repeating: "words ", count: 400_000) + "</a>"
    let pieces = try told(text.utf8)
    #expect(pieces.count > 3)
    #expect(pieces.joined() == "1:1 " + text)
  }

  @Test("an error of the source is thrown unchanged")
  func source() {
    struct Torn: Error {}
    let reader = XMLReader { _ in throw Torn() }
    #expect(throws: Torn.self) { try reader.next() }
  }
}
