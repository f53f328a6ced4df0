/// Immutable bytes: up to 64 are stored inline, more in an array.
///
/// Most patches are that small, and a history holds one for every commit.
package struct CompactBytes: Sendable {
  private typealias Near = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  package static let room = 64

  private let near: Near
  private let far: [UInt8]?
  package let count: Int

  package init(_ bytes: UnsafeRawBufferPointer) {
    var near: Near = (0, 0, 0, 0, 0, 0, 0, 0)
    count = bytes.count
    if bytes.count <= CompactBytes.room {
      withUnsafeMutableBytes(of: &near) { $0.copyMemory(from: bytes) }
      far = nil
    } else {
      far = [UInt8](bytes)
    }
    self.near = near
  }

  package init(_ bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { CompactBytes($0) }
  }

  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    if let far { return far.withUnsafeBytes(body) }
    return Swift.withUnsafeBytes(of: near) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }
}

extension CompactBytes: Hashable {
  package static func == (one: CompactBytes, other: CompactBytes) -> Bool {
    one.withUnsafeBytes { one in other.withUnsafeBytes { one.elementsEqual($0) } }
  }

  package func hash(into hasher: inout Hasher) {
    withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
