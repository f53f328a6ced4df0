import Platform

/// A set of the names of closed cases, about eleven bytes for each name, however long it is.
///
/// It stores hashes, so it may mistake one name for another: with a million cases the odds are one in thirty million.
/// The hashes are in pages that are split when they are full (extendible hashing), so that growing takes no more than a
/// page.
struct ClosedCases {
  private struct Page {
    /// The number of highest bits that all hashes of the page share.
    var depth: Int
    var hashes: [UInt64] = []
  }

  private static let pageSize = 64
  /// The depth from which a page grows instead of being split: so many equal bits are no accident.
  private static let deepest = 22

  private var pages = [Page(depth: 0)]
  /// The page for each value of the highest `depth` bits.
  private var directory: [Int32] = [0]
  private var depth = 0

  /// Inserts a name; returns true if it is new.
  mutating func insert(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    insert(hash: ClosedCases.hash(name))
  }

  /// Inserts a hash; returns true if it is new.
  mutating func insert(hash: UInt64) -> Bool {
    var page = page(of: hash)
    if pages[page].hashes.contains(hash) { return false }
    while pages[page].hashes.count >= ClosedCases.pageSize, pages[page].depth < ClosedCases.deepest
    {
      split(page, hash)
      page = self.page(of: hash)
    }
    if pages[page].hashes.isEmpty { pages[page].hashes.reserveCapacity(ClosedCases.pageSize) }
    pages[page].hashes.append(hash)
    return true
  }

  /// Returns the first bytes of a digest, so that nobody can find two names with one hash.
  private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
    SHA256.digest(of: name).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func page(of hash: UInt64) -> Int {
    depth == 0 ? 0 : Int(directory[Int(hash >> (64 - UInt64(depth)))])
  }

  /// Moves the hashes of a page whose next bit is one to a new page.
  private mutating func split(_ page: Int, _ hash: UInt64) {
    if pages[page].depth == depth {
      directory = directory.flatMap { [$0, $0] }
      depth += 1
    }
    pages[page].depth += 1
    let bit = UInt64(1) << (64 - UInt64(pages[page].depth))
    let moved = pages[page].hashes.filter { $0 & bit != 0 }
    pages[page].hashes.removeAll { $0 & bit != 0 }
    var new = Page(depth: pages[page].depth)
    new.hashes.reserveCapacity(ClosedCases.pageSize)
    new.hashes += moved
    pages.append(new)
    // These entries begin with the page's bits, followed by a one.
    let width = depth - pages[page].depth
    let first = Int(((hash & ~(bit - 1)) | bit) >> (64 - UInt64(depth)))
    for entry in first..<first + (1 << width) { directory[entry] = Int32(pages.count - 1) }
  }
}
