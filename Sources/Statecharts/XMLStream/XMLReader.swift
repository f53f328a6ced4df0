#if Documents
  import CExpat

  /// Reads an XML document piece by piece: elements with their attributes, and text.
  ///
  /// ```swift
  /// let reader = XMLReader(read)
  /// while let event = try reader.next() {
  ///   if case .start(let element) = event { print(element.line, element.name) }
  /// }
  /// ```
  ///
  /// The document is UTF-8, UTF-16, ISO-8859-1 or US-ASCII, as its first bytes or its declaration say. A
  /// document type declaration ends it with an error, so that there are no entities but the five that
  /// every document has: nothing expands, and nothing else is opened. Comments and processing instructions
  /// are left out, and names keep their prefixes. No more is held than a block and what began in it.
  package final class XMLReader {
    private static let block = 1 << 16

    private let read: Source
    let limits: Limits
    let keepsText: Bool
    private let parser: OpaquePointer?
    private var events: [Event] = []
    /// The line in which each begins.
    private var lines: [Int] = []
    /// The line in which the event begins that was given last, counted from 1.
    package private(set) var line = 1
    private var at = 0
    /// The elements that have not ended yet.
    private(set) var open: [(name: String, line: Int)] = []
    private var failure: XMLError?
    private var isAtEnd = false
    private var fed = 0
    /// The bytes of the document up to the end of what was told last.
    private var told = 0

    /// - Parameters:
    ///   - encoding: the encoding, whatever the document says; nil for what that says.
    ///   - keepsText: whether text is told, too; otherwise only elements are.
    ///   - read: gives the document.
    package init(
      limits: Limits = Limits(), encoding: String? = nil, keepsText: Bool = true,
      _ read: @escaping Source
    ) {
      (self.limits, self.keepsText, self.read) = (limits, keepsText, read)
      parser = XML_ParserCreate(encoding)
      setHandlers()
    }

    deinit { parser.map(XML_ParserFree) }

    /// The next event, nil behind the end of the document.
    ///
    /// - Throws: `XMLError`, after all that stands before what is wrong; what the source throws.
    package func next() throws -> Event? {
      while at == events.count {
        events.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        at = 0
        if let failure { throw failure }
        if isAtEnd { return nil }
        try feed()
      }
      at += 1
      line = lines[at - 1]
      return events[at - 1]
    }

    private func feed() throws {
      guard let parser, let room = XML_GetBuffer(parser, Int32(XMLReader.block)) else {
        throw XMLError(line: 1, column: 1, reason: "there is no memory to read it with")
      }
      let buffer = UnsafeMutableRawBufferPointer(start: room, count: XMLReader.block)
      let count = min(max(try read(buffer), 0), XMLReader.block)
      fed += count
      isAtEnd = count == 0
      let status = XML_ParseBuffer(parser, Int32(count), isAtEnd ? 1 : 0)
      if failure != nil { return }
      if status != XML_STATUS_OK {
        failure = error(XMLFault.reason(parser, self, isEmpty: fed == 0))
      } else if fed - told > 2 * limits.tag + XMLReader.block {
        failure = error(tooLong)
      }
    }

    // MARK: What the parser tells

    func start(
      _ name: UnsafePointer<XML_Char>, _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>
    ) {
      guard isWithinLimits() else { return }
      guard open.count < limits.depth else {
        return stop("elements stand more than \(limits.depth) deep in one another")
      }
      var attributes: [Attribute] = []
      var at = 0
      while let name = list[at], let value = list[at + 1] {
        attributes.append(Attribute(name: String(cString: name), value: String(cString: value)))
        at += 2
      }
      let element = Element(
        name: String(cString: name), attributes: attributes,
        line: Int(XML_GetCurrentLineNumber(parser)),
        column: Int(XML_GetCurrentColumnNumber(parser)) + 1)
      open.append((element.name, element.line))
      add(.start(element))
    }

    func end() {
      guard isWithinLimits(), let last = open.popLast() else { return }
      add(.end(last.name))
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) {
      guard isWithinLimits(), keepsText else { return }
      add(.text(String(decoding: bytes, as: UTF8.self)))
    }

    private func add(_ event: Event) {
      events.append(event)
      lines.append(Int(XML_GetCurrentLineNumber(parser)))
    }

    /// Notes how far the document was read, and stops at a tag or a comment that is too long.
    @discardableResult
    func isWithinLimits() -> Bool {
      guard failure == nil else { return false }
      let length = Int(XML_GetCurrentByteCount(parser))
      told = Int(XML_GetCurrentByteIndex(parser)) + length
      if length > limits.tag { stop(tooLong) }
      return failure == nil
    }

    /// Ends the document with an error here.
    func stop(_ reason: String) {
      guard failure == nil else { return }
      failure = error(reason)
      XML_StopParser(parser, 0)
    }

    private var tooLong: String { "a tag or a comment is longer than \(limits.tag) bytes" }

    private func error(_ reason: String) -> XMLError {
      XMLError(
        line: Int(XML_GetCurrentLineNumber(parser)),
        column: Int(XML_GetCurrentColumnNumber(parser)) + 1, reason: reason)
    }

    // MARK: The parser

    private func setHandlers() {
      XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
      XML_SetElementHandler(
        parser,
        { user, name, attributes in
          guard let name, let attributes else { return }
          XMLReader.of(user)?.start(name, attributes)
        }, { user, _ in XMLReader.of(user)?.end() })
      XML_SetCharacterDataHandler(parser) { user, text, count in
        text?.withMemoryRebound(to: UInt8.self, capacity: Int(count)) { text in
          XMLReader.of(user)?.text(UnsafeBufferPointer(start: text, count: Int(count)))
        }
      }
      // What nobody else is told counts as read as well.
      XML_SetDefaultHandlerExpand(parser) { user, _, _ in XMLReader.of(user)?.isWithinLimits() }
      // The parser looks at the name alone where it is to go by it.
      XML_SetXmlDeclHandler(parser) { user, _, encoding, _ in
        guard let encoding, !XMLFault.encodings.contains(String(cString: encoding).uppercased())
        else { return }
        XMLReader.of(user)?.stop(XMLFault.unknownEncoding)
      }
      XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in
        XMLReader.of(user)?.stop(
          "a document type declaration (<!DOCTYPE), which is not read: it can make a document "
            + "expand without end; take it out")
      }
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> XMLReader? {
      user.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }
  }
#else
  /// Stands for the reader of XML where expat is left out: there is nothing that it reads.
  package final class XMLReader {
    package let line = 1

    package init(
      limits: Limits = Limits(), encoding: String? = nil, keepsText: Bool = true,
      _ read: @escaping Source
    ) {}

    package func next() throws -> Event? {
      throw XMLError(
        line: 1, column: 1,
        reason: "XML is read by Moonlatch's trait Documents, which this program was built without; "
          + "name it among the traits of the package")
    }
  }
#endif
