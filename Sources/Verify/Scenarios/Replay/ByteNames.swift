import Platform

/// A table that numbers sequences of bytes from 0: equal sequences have the same number.
struct ByteNames {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  private var hashes: [UInt64] = []
  /// The numbers, counted from 1, in an open hash table of which at most half is in use; 0 is an empty slot.
  private var slots = [UInt32](repeating: 0, count: 64)

  var count: Int { ends.count }
  var byteCount: Int { bytes.count }

  subscript(number: Int) -> ArraySlice<UInt8> {
    bytes[(number == 0 ? 0 : ends[number - 1])..<ends[number]]
  }

  func number(of name: UnsafeBufferPointer<UInt8>) -> Int? { number(of: name, hash(name)) }

  /// Returns the number of the name, a new one if the name is not in the table.
  mutating func add(_ name: UnsafeBufferPointer<UInt8>) -> Int {
    let hash = hash(name)
    if let known = number(of: name, hash) { return known }
    if 2 * (count + 1) > slots.count { grow() }
    bytes.append(contentsOf: name)
    ends.append(bytes.count)
    hashes.append(hash)
    place(count)
    return count - 1
  }

  private func number(of name: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> Int? {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if hashes[number] == hash, isEqual(number, name) { return number }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private func isEqual(_ number: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = number == 0 ? 0 : ends[number - 1]
    guard ends[number] - start == name.count else { return false }
    guard let other = name.baseAddress, name.count > 0 else { return true }
    return bytes.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { memcmp($0 + start, other, name.count) == 0 } ?? false
    }
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: 2 * slots.count)
    for number in 0..<count { place(number + 1) }
  }

  /// Puts a number, counted from 1, into the slot of its hash or the next free one.
  private mutating func place(_ number: Int) {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hashes[number - 1]) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt32(number)
  }

  /// Returns a hash of the name: eight bytes at a time, each mixed in by a multiplication.
  private func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hash = UInt64(name.count) &* ByteNames.factor
    var at = 0
    while at + 8 <= name.count {
      let word = UnsafeRawBufferPointer(name).loadUnaligned(fromByteOffset: at, as: UInt64.self)
      hash = ByteNames.mixed(hash ^ word)
      at += 8
    }
    var rest: UInt64 = 0
    while at < name.count {
      rest = rest << 8 | UInt64(name[at])
      at += 1
    }
    return ByteNames.mixed(hash ^ rest)
  }

  private static let factor: UInt64 = 0x9e37_79b9_7f4a_7c15

  private static func mixed(_ word: UInt64) -> UInt64 {
    let product = word &* factor
    return (product ^ product >> 32) &* factor ^ word >> 29
  }
}
