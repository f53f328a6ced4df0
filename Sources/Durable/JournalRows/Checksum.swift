import CChecksum

/// A checksum that grows: CRC-32C over what is added to it, in order.
package struct Checksum {
  package private(set) var value: UInt32

  /// That of nothing, or of what had one already.
  package init(after before: UInt32 = 0) { value = before }

  /// The checksum of bytes.
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

  /// Adds a text with its length, so that none runs into the next.
  package mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      add(bytes.count)
      value = checksum_crc32c(value, bytes.baseAddress, bytes.count)
    }
  }
}

/// The chain of checksums that goes through the entries of a case: each over the one before it.
///
/// It goes over the checksum of a body, not over the body, so that a body can be erased and the chain stays whole.
package enum Chain {
  /// Where the chain of a case begins.
  package static func base(of id: String, born: Int, seed: UInt64) -> Int {
    var sum = Checksum()
    sum.add(id)
    sum.add(born)
    sum.add(Int(bitPattern: UInt(seed)))
    return Int(sum.value)
  }

  /// The link of an entry.
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
