/// The latest transitions and what is needed to go back to each: bounded, oldest dropped first.
///
/// The state's tree goes back by the patches of transitions, and the rest of the case by the changes of `CaseState` that
/// came with each. Whatever happens here costs what comes in and what goes, however long the rest is.
package struct History: Sendable {
  package struct Entry: Sendable {
    package let commit: Commit
    /// What changed beside the tree since the transition before, up to the first wait of this one's
    /// effects.
    package var changes: [CaseState.Change]
    /// The bytes that it takes, about.
    package var size: Int { commit.size + History.size(of: changes) }
  }

  @inline(__always)
  private static func size(of changes: [CaseState.Change]) -> Int {
    changes.isEmpty ? 0 : changes.reduce(0) { $0 + $1.size }
  }

  package let limit: Int
  /// The time before the oldest transition that is kept.
  private var beginningTime: Int
  private var entries = Ring<Entry>()
  /// How many of the entries lie behind; those beyond can be redone.
  package private(set) var position = 0
  /// The revision before the oldest entry.
  package private(set) var base = 0
  /// The bytes that all this takes, about.
  package private(set) var size = 0

  package init(limit: Int, at revision: Int = 0, time: Int = 0) {
    self.limit = max(1, limit)
    beginningTime = time
    base = revision
  }

  // MARK: Growing

  /// Adds a transition, with what changed beside the tree; what could have been redone is forgotten.
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

  /// Forgets the oldest transitions until what is kept takes no more than so many bytes, or nothing is
  /// left to go back to.
  package mutating func shrink(to most: Int) {
    while size > most, position > 0 { forgetOldest() }
  }

  /// Adds what changed beside the tree while the effects of the latest transition ran to their first
  /// wait.
  mutating func amend(_ changes: [CaseState.Change], at revision: Int) {
    guard !changes.isEmpty, revision == base + position, let index = index(of: revision) else {
      return
    }
    entries[index]?.changes += changes
    size += History.size(of: changes)
  }

  // MARK: Looking

  /// The transition that led to a revision.
  package subscript(revision: Int) -> Commit? {
    index(of: revision).flatMap { entries[$0]?.commit }
  }

  private func index(of revision: Int) -> Int? {
    let index = revision - base - 1
    return entries.indices.contains(index) ? index : nil
  }

  /// The transitions up to now, oldest first.
  package var commits: [Commit] {
    (0..<position).compactMap { entries[$0]?.commit }
  }

  /// The revisions that can be gone to.
  package var reachable: ClosedRange<Int> { base...(base + entries.count) }

  /// The time of a revision that can be gone to.
  package func time(at revision: Int) -> Int? {
    guard reachable.contains(revision) else { return nil }
    return self[revision]?.microseconds ?? beginningTime
  }

  /// What changed beside the tree with the transition that led to a revision.
  package func changes(at revision: Int) -> [CaseState.Change] {
    index(of: revision).flatMap { entries[$0]?.changes } ?? []
  }

  package mutating func move(to revision: Int) { position = revision - base }

  // MARK: Legs

  /// What a leg takes at most, unless it is one transition.
  private static let mostPerLeg = 64 << 10

  /// How far to go at once, on the way from one revision to another.
  ///
  /// The VM remembers every write of a transaction until it ends: along a long history that would be more
  /// than it has memory for.
  package func leg(from start: Int, to target: Int) -> Int {
    let step = target < start ? -1 : 1
    var end = start
    var size = 0
    while end != target {
      size += self[step < 0 ? end : end + 1]?.patchSize ?? 0
      if size > History.mostPerLeg, end != start { break }
      end += step
    }
    return end
  }

  /// The patches that lead from one revision to another, or back from there: as one, in the order in which
  /// they were made.
  package func patch(between one: Int, and other: Int) -> [UInt8] {
    let passed = (min(one, other)..<max(one, other)).compactMap { self[$0 + 1] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(passed.reduce(0) { $0 + $1.patchSize })
    for commit in passed { commit.appendPatch(to: &bytes) }
    return bytes
  }
}
