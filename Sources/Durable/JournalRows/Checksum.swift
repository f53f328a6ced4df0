import CChecksum

/// An incremental checksum: CRC-32C over all that is added to it, in order.
package struct Checksum {
  package private(set) var value: UInt32

  /// Creates the checksum of no bytes, or continues an earlier checksum.
  package init(after before: UInt32 = 0) { value = before }

  /// Returns the checksum of bytes.
  package static func of(_ bytes: [UInt8]) -> Int {
    var sum = Checksum()
    sum.add(bytes)
    return Int(sum.value)
  }

  package mutating func add(_ bytes: [UInt8]) {
    value = bytes.withUnsafeBytes { checksum_crc32c(value, $0.baseAddress, $0.count) }
  }

  /// Adds a number as eight bytes.
  package mutating func add(_ number: Int) {
    value = withUnsafeBytes(of: Int64(number).littleEndian) {
      checksum_crc32c(value, $0.baseAddress, $0.count)
    }
  }

  package mutating func add(_ number: Int?) {
    add(number == nil ? 0 : 1)
    if let number { add(number) }
  }

  /// Adds a text preceded by its length, so that two texts cannot run into each other.
  package mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      add(bytes.count)
      value = checksum_crc32c(value, bytes.baseAddress, bytes.count)
    }
  }
}

/// The chain of checksums through the entries of a case, each over the one before it.
///
/// It uses the checksum of a body, not the body, so that the chain stays valid if a body is erased.
package enum Chain {
  /// Returns the value at which the chain of a case begins.
  package static func base(of id: String, born: Int, seed: UInt64) -> Int {
    var sum = Checksum()
    sum.add(id)
    sum.add(born)
    sum.add(Int(bitPattern: UInt(seed)))
    return Int(sum.value)
  }

  /// Returns the chain value after an entry.
  package static func link(after before: Int, id: String, entry: EntryRow) -> Int {
    var sum = Checksum()
    sum.add(before)
    sum.add(id)
    sum.add(entry.seq)
    sum.add(entry.flow)
    sum.add(entry.wall)
    sum.add(entry.revision)
    sum.add(entry.sum)
    return Int(sum.value)
  }
}
