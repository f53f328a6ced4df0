import Scenarios

/// A recorded log as a file: compressed or not, in UTF-8 or UTF-16, as CSV, JSON lines or XES.
package enum EventLog {
  /// Opens a log in the format that its first bytes indicate.
  ///
  /// - Parameter read: supplies the bytes of the log.
  /// - Returns: the text of the log in UTF-8, or its events if it is XES.
  /// - Throws: `LogError` if the data is not a log, which names its actual format; any error of `read`.
  package static func open(_ read: @escaping LogSource) throws -> LogInput {
    var head = try LogHead(read)
    if head.isGzip {
      head = try LogHead(Gunzip(head.read).read(into:))
      if head.isGzip { throw LogError(description: "the log is compressed twice: unpack it once") }
    }
    if let other = LogKind.name(of: head.bytes) { throw LogError(description: "the log \(other)") }
    let isXML = LogKind.isXML(head.bytes)
    guard let encoding = UTF16Source.Encoding(mark: head.bytes) else {
      return isXML ? .events(XESEvents(head.read).next) : .text(head.read)
    }
    // Text that was saved as UTF-16 often still declares its former encoding.
    let text = UTF16Source(encoding, head.read).read(into:)
    return isXML ? .events(XESEvents(text, encoding: "UTF-8").next) : .text(text)
  }
}

/// The first bytes of a log, which are supplied again when the log is read.
final class LogHead {
  /// The number of bytes that suffice to recognize a format.
  private static let most = 512

  private(set) var bytes: [UInt8] = []
  private let source: LogSource
  private var given = 0

  init(_ source: @escaping LogSource) throws {
    self.source = source
    var block = [UInt8](repeating: 0, count: LogHead.most)
    while bytes.count < LogHead.most {
      let room = LogHead.most - bytes.count
      let count = try block.withUnsafeMutableBytes { block in
        try source(UnsafeMutableRawBufferPointer(rebasing: block.prefix(room)))
      }
      guard count > 0 else { break }
      bytes += block.prefix(count)
    }
  }

  /// True if the log is gzip; no text begins with the first byte of gzip.
  var isGzip: Bool { bytes.first == 0x1f && (bytes.count == 1 || bytes[1] == 0x8b) }

  /// Reads the log from its beginning.
  func read(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard given < bytes.count else { return try source(buffer) }
    let next = bytes[given...].prefix(buffer.count)
    buffer.copyBytes(from: next)
    given += next.count
    return next.count
  }
}
