/// The names that cases of a log had: eight bytes and a little of each, however long it is.
///
/// It keeps hashes, so it may take a name for another; with a million cases the odds are one in thirty
/// million.
struct ClosedCases {
  // In parts, so that growing takes little at once. Zero is a free place.
  private var parts = [Part](repeating: Part(), count: 256)

  fileprivate struct Part {
    var count = 0
    var places: [UInt64] = []
  }

  /// Gives whether the name is new.
  mutating func insert(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    // FNV-1a, and the last step of a better mixer, since its highest bits are its weakest.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash = (hash ^ (hash >> 32)) &* 0x9e37_79b9_7f4a_7c15
    return parts[Int(hash >> 56)].insert(max((hash << 8) | (hash >> 56), 1))
  }
}

extension ClosedCases.Part {
  mutating func insert(_ hash: UInt64) -> Bool {
    // At most four fifths are taken.
    if 5 * (count + 1) > 4 * places.count { grow() }
    return put(hash)
  }

  private mutating func put(_ hash: UInt64) -> Bool {
    var place = Int(hash.multipliedFullWidth(by: UInt64(places.count)).high)
    while places[place] != 0 {
      if places[place] == hash { return false }
      place = place + 1 == places.count ? 0 : place + 1
    }
    places[place] = hash
    count += 1
    return true
  }

  private mutating func grow() {
    let before = places
    places = [UInt64](repeating: 0, count: max(8, before.count + before.count / 2))
    count = 0
    for hash in before where hash != 0 { _ = put(hash) }
  }
}
