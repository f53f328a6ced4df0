#if Documents
  import CExpat

  /// A pull parser for XML documents, which returns elements with their attributes, and text.
  ///
  /// ```swift
  /// let reader = XMLReader(read)
  /// while let event = try reader.next() {
  ///   if case .start(let element) = event { print(element.line, element.name) }
  /// }
  /// ```
  ///
  /// The document is UTF-8, UTF-16, ISO-8859-1 or US-ASCII, by its first bytes or its declaration. A document type
  /// declaration is an error, so only the five predefined entities exist: nothing expands, and no other file is opened.
  /// Comments and processing instructions are skipped, and names keep their prefixes. The reader holds only one block
  /// and the elements that began in it.
  package final class XMLReader {
    private static let block = 1 << 16

    private let read: Source
    let limits: Limits
    let keepsText: Bool
    private let parser: OpaquePointer?
    private var events: [Event] = []
    /// The line in which each event of `events` begins.
    private var lines: [Int] = []
    /// The line in which the last returned event begins, counted from 1.
    package private(set) var line = 1
    private var at = 0
    /// The open elements, outermost first.
    private(set) var open: [(name: String, line: Int)] = []
    private var failure: XMLError?
    private var isAtEnd = false
    private var fed = 0
    /// The number of bytes up to the end of the last event.
    private var told = 0

    /// - Parameters:
    ///   - encoding: the encoding, which overrides the document's own; nil to use the document's.
    ///   - keepsText: true if text events are wanted; otherwise only elements are reported.
    ///   - read: returns the bytes of the document.
    package init(
      limits: Limits = Limits(), encoding: String? = nil, keepsText: Bool = true,
      _ read: @escaping Source
    ) {
      (self.limits, self.keepsText, self.read) = (limits, keepsText, read)
      parser = XML_ParserCreate(encoding)
      setHandlers()
    }

    deinit { parser.map(XML_ParserFree) }

    /// Returns the next event, or nil after the end of the document.
    ///
    /// - Throws: `XMLError`, after all events before the error; errors of the source.
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
        throw XMLError(line: 1, column: 1, reason: "there is not enough memory to read it")
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
        return stop("elements are nested more than \(limits.depth) deep")
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

    /// Records how far the document was read, and stops at a tag or a comment that is too long.
    @discardableResult
    func isWithinLimits() -> Bool {
      guard failure == nil else { return false }
      let length = Int(XML_GetCurrentByteCount(parser))
      told = Int(XML_GetCurrentByteIndex(parser)) + length
      if length > limits.tag { stop(tooLong) }
      return failure == nil
    }

    /// Stops reading, with an error at this position.
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
      // Input without a handler of its own counts as read too.
      XML_SetDefaultHandlerExpand(parser) { user, _, _ in XMLReader.of(user)?.isWithinLimits() }
      // The parser checks the encoding's name only if it relies on it.
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
  /// A stand-in for the XML reader in builds without expat, which cannot read anything.
  package final class XMLReader {
    package let line = 1

    package init(
      limits: Limits = Limits(), encoding: String? = nil, keepsText: Bool = true,
      _ read: @escaping Source
    ) {}

    package func next() throws -> Event? {
      throw XMLError(
        line: 1, column: 1,
        reason: "this program was built without Moonlatch's trait Documents, which reads XML; "
          + "add the trait to the package")
    }
  }
#endif
