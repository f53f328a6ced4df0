import Scenarios

/// A converter of a log from UTF-16 to UTF-8.
///
/// An unpaired surrogate becomes invalid UTF-8, so that its row is reported as malformed.
final class UTF16Source {
  enum Encoding {
    case littleEndian, bigEndian

    /// Returns the encoding of a byte-order mark; nil if there is none.
    init?(mark head: [UInt8]) {
      switch (head.first, head.dropFirst().first) {
      case (0xff, 0xfe): self = .littleEndian
      case (0xfe, 0xff): self = .bigEndian
      default: return nil
      }
    }
  }

  private static let block = 1 << 15
  /// The maximum number of bytes in UTF-8 for two bytes in UTF-16.
  private static let widest = 3

  private let encoding: Encoding
  private let source: LogSource
  private var units: [UInt8] = []
  private var at = 0
  private var high: UInt32?
  private var isAtEnd = false

  init(_ encoding: Encoding, _ source: @escaping LogSource) {
    (self.encoding, self.source) = (encoding, source)
  }

  /// Writes the next bytes, and returns their number, 0 at the end.
  ///
  /// - Parameter buffer: a buffer of at least eight bytes.
  /// - Throws: `LogError` if the data ends within a unit; any error of the source.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var output = 0
    while output == 0, !isAtEnd {
      if units.count - at < 2 { try fill() }
      while units.count - at >= 2, output + 2 * UTF16Source.widest <= buffer.count {
        let (first, second) = (UInt32(units[at]), UInt32(units[at + 1]))
        at += 2
        write(encoding == .littleEndian ? second << 8 | first : first << 8 | second) {
          buffer[output] = $0
          output += 1
        }
      }
      if isAtEnd {
        flush {
          buffer[output] = $0; output += 1
        }
      }
    }
    return output
  }

  private func fill() throws {
    units.removeFirst(at)
    at = 0
    let kept = units.count
    units.append(contentsOf: repeatElement(0, count: UTF16Source.block))
    let count = try units.withUnsafeMutableBytes { units in
      try source(UnsafeMutableRawBufferPointer(rebasing: units.dropFirst(kept)))
    }
    units.removeLast(UTF16Source.block - min(max(count, 0), UTF16Source.block))
    guard count <= 0 else { return }
    isAtEnd = true
    if kept > 0 {
      throw LogError(description: "the log is cut off: it is UTF-16 and ends with half a character")
    }
  }

  private func write(_ unit: UInt32, _ put: (UInt8) -> Void) {
    if let first = high {
      high = nil
      if (0xdc00...0xdfff).contains(unit) {
        return encode(0x10000 + (first - 0xd800) << 10 + (unit - 0xdc00), put)
      }
      encode(first, put)
    }
    if (0xd800...0xdbff).contains(unit) { high = unit } else { encode(unit, put) }
  }

  private func flush(_ put: (UInt8) -> Void) {
    if let first = high { encode(first, put) }
    high = nil
  }

  private func encode(_ scalar: UInt32, _ put: (UInt8) -> Void) {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3f) }
    switch scalar {
    case ..<0x80: put(UInt8(scalar))
    case ..<0x800: [UInt8(0xc0 | scalar >> 6), tail(0)].forEach(put)
    case ..<0x10000: [UInt8(0xe0 | scalar >> 12), tail(6), tail(0)].forEach(put)
    default: [UInt8(0xf0 | scalar >> 18), tail(12), tail(6), tail(0)].forEach(put)
    }
  }
}
