import Scenarios

/// A recorded log as it lies there: packed or not, in whichever encoding, CSV, JSON lines or XES.
package enum EventLog {
  /// Takes a log for what its first bytes say.
  ///
  /// - Parameter read: gives its bytes.
  /// - Returns: its text in UTF-8, or its events where the text is XES.
  /// - Throws: `LogError` for what is no log, named as what it is; what reading throws.
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
    // What was saved as UTF-16 often still declares what it was before.
    let text = UTF16Source(encoding, head.read).read(into:)
    return isXML ? .events(XESEvents(text, encoding: "UTF-8").next) : .text(text)
  }
}

/// The first bytes of a log, which are given once more when the log is read.
final class LogHead {
  /// Enough to know what a file is.
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

  /// Whether it is gzip; no text begins with the first byte of that.
  var isGzip: Bool { bytes.first == 0x1f && (bytes.count == 1 || bytes[1] == 0x8b) }

  /// The log from its beginning.
  func read(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard given < bytes.count else { return try source(buffer) }
    let next = bytes[given...].prefix(buffer.count)
    buffer.copyBytes(from: next)
    given += next.count
    return next.count
  }
}
