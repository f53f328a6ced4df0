/// The latest commits, with the data needed to go back to each: bounded, the oldest dropped first.
///
/// The state's tree is restored by the patches of commits, and the rest of the case by the changes of `CaseState`
/// stored with each. The cost of each operation depends on what is added and removed, not on the length of the history.
package struct History: Sendable {
  package struct Entry: Sendable {
    package let commit: Commit
    /// The changes outside of the tree since the previous commit, up to the first wait of this commit's effects.
    package var changes: [CaseState.Change]
    /// Its approximate size, in bytes.
    package var size: Int { commit.size + History.size(of: changes) }
  }

  @inline(__always)
  private static func size(of changes: [CaseState.Change]) -> Int {
    changes.isEmpty ? 0 : changes.reduce(0) { $0 + $1.size }
  }

  package let limit: Int
  /// The time before the oldest stored commit.
  private var beginningTime: Int
  private var entries = Ring<Entry>()
  /// The number of entries up to the current revision; those after it can be redone.
  package private(set) var position = 0
  /// The revision before the oldest entry.
  package private(set) var base = 0
  /// The approximate size of the history, in bytes.
  package private(set) var size = 0

  package init(limit: Int, at revision: Int = 0, time: Int = 0) {
    self.limit = max(1, limit)
    beginningTime = time
    base = revision
  }

  // MARK: Growing

  /// Appends a commit with the changes outside of the tree, and discards the commits that could be redone.
  package mutating func append(
    _ commit: consuming Commit, _ changes: consuming [CaseState.Change]
  ) {
    while entries.count > position, let undone = entries.removeLast() { size -= undone.size }
    if position == limit { forgetOldest() }
    size += commit.size + History.size(of: changes)
    entries.append(Entry(commit: commit, changes: changes))
    position += 1
  }

  private mutating func forgetOldest() {
    guard let oldest = entries.removeFirst() else { return }
    size -= oldest.size
    beginningTime = oldest.commit.microseconds
    position -= 1
    base += 1
  }

  /// Drops the oldest commits until the rest is no larger than `most` bytes, or no commit is left before the current
  /// revision.
  package mutating func shrink(to most: Int) {
    while size > most, position > 0 { forgetOldest() }
  }

  /// Adds the changes outside of the tree that the latest commit's effects made up to their first wait.
  mutating func amend(_ changes: [CaseState.Change], at revision: Int) {
    guard !changes.isEmpty, revision == base + position, let index = index(of: revision) else {
      return
    }
    entries[index]?.changes += changes
    size += History.size(of: changes)
  }

  // MARK: Looking

  /// The commit that led to a revision; nil if the history does not have it.
  package subscript(revision: Int) -> Commit? {
    index(of: revision).flatMap { entries[$0]?.commit }
  }

  private func index(of revision: Int) -> Int? {
    let index = revision - base - 1
    return entries.indices.contains(index) ? index : nil
  }

  /// The commits up to the current revision, oldest first.
  package var commits: [Commit] {
    (0..<position).compactMap { entries[$0]?.commit }
  }

  /// The revisions to which one can go.
  package var reachable: ClosedRange<Int> { base...(base + entries.count) }

  /// Returns the time of a revision; nil if it is out of reach.
  package func time(at revision: Int) -> Int? {
    guard reachable.contains(revision) else { return nil }
    return self[revision]?.microseconds ?? beginningTime
  }

  /// Returns the changes outside of the tree that belong to the commit that led to a revision.
  package func changes(at revision: Int) -> [CaseState.Change] {
    index(of: revision).flatMap { entries[$0]?.changes } ?? []
  }

  package mutating func move(to revision: Int) { position = revision - base }

  // MARK: Legs

  /// The greatest size of a leg's patches in bytes, unless the leg is one commit.
  private static let mostPerLeg = 64 << 10

  /// Returns the revision at the end of the next leg, on the way from one revision to another.
  ///
  /// The VM remembers every write of a transaction until it ends: for a long way that would exceed its memory.
  package func leg(from start: Int, to target: Int) -> Int {
    let step = target < start ? -1 : 1
    var end = start
    var size = 0
    while end != target {
      size += self[step < 0 ? end : end + 1]?.writesSize ?? 0
      if size > History.mostPerLeg, end != start { break }
      end += step
    }
    return end
  }

  /// Returns the writes between two revisions, joined in the order in which they were made.
  package func writes(between one: Int, and other: Int) -> [UInt8] {
    let passed = (min(one, other)..<max(one, other)).compactMap { self[$0 + 1] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(passed.reduce(0) { $0 + $1.writesSize })
    for commit in passed { commit.appendWrites(to: &bytes) }
    return bytes
  }
}
