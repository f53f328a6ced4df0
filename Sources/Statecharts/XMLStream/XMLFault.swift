#if Documents
  import CExpat

  /// The error messages for malformed documents.
  enum XMLFault {
    static let unknownEncoding =
      "the document's encoding is not supported: UTF-8, UTF-16, ISO-8859-1 and US-ASCII are"

    /// The names of the supported encodings as an XML declaration has them, in capitals.
    static let encodings: Set = [
      "UTF-8", "UTF-16", "UTF-16BE", "UTF-16LE", "ISO-8859-1", "US-ASCII",
    ]

    static func reason(_ parser: OpaquePointer, _ reader: XMLReader, isEmpty: Bool) -> String {
      let innermost = reader.open.last.map { "<\($0.name)>, which began in line \($0.line)" }
      switch XML_GetErrorCode(parser) {
      case XML_ERROR_NO_MEMORY: return "there is not enough memory to read it"
      case XML_ERROR_NO_ELEMENTS:
        if isEmpty { return "the document is empty" }
        return "the document ends before " + (innermost.map { "the end of \($0)" } ?? "an element")
      case XML_ERROR_INVALID_TOKEN:
        return isBeyondASCII(parser)
          ? "bytes that are invalid in the document's encoding"
          : "this is not XML"
      case XML_ERROR_UNCLOSED_TOKEN: return "the document ends inside a tag"
      case XML_ERROR_PARTIAL_CHAR: return "the document ends inside a character"
      case XML_ERROR_TAG_MISMATCH:
        return "the closing tag is not that of \(innermost ?? "an element")"
      case XML_ERROR_DUPLICATE_ATTRIBUTE: return "an attribute is given twice"
      case XML_ERROR_JUNK_AFTER_DOC_ELEMENT: return "there is text after the end of the document"
      case XML_ERROR_UNDEFINED_ENTITY:
        return "an entity that is not declared (&amp; &lt; &gt; &quot; and &apos; are)"
      case XML_ERROR_BAD_CHAR_REF: return "a reference to an invalid character"
      case XML_ERROR_MISPLACED_XML_PI:
        return "an XML declaration that is not at the start of the document"
      case XML_ERROR_UNKNOWN_ENCODING: return unknownEncoding
      case XML_ERROR_INCORRECT_ENCODING:
        return "the document is not in the encoding that it declares"
      case XML_ERROR_UNCLOSED_CDATA_SECTION: return "a CDATA section is not closed"
      case let code: return XML_ErrorString(code).map { String(cString: $0) } ?? "it is not XML"
      }
    }

    /// Returns true if the byte at which the parser stopped is not ASCII.
    private static func isBeyondASCII(_ parser: OpaquePointer) -> Bool {
      var (offset, count): (Int32, Int32) = (0, 0)
      guard let bytes = XML_GetInputContext(parser, &offset, &count), offset >= 0, offset < count
      else { return false }
      return bytes[Int(offset)] < 0
    }
  }
#endif
