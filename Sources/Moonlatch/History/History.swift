/// The latest transitions and what is needed to go back to each: bounded, oldest dropped first.
///
/// The state's tree goes back by the patches of transitions, and what is beside it by the changes of the
/// ledger that came with each. Every 1,000 transitions a snapshot of the tree is kept, so that a jump
/// never replays more than that; a history of up to 1,000 needs none.
package struct History: Sendable {
  struct Entry: Sendable {
    let transition: Transition
    /// What changed beside the tree since the transition before, up to the first wait of this one's
    /// effects.
    var changes: [Ledger.Change]
    /// The bytes that it takes, about.
    var size: Int { transition.size + History.size(of: changes) }
  }

  @inline(__always)
  private static func size(of changes: [Ledger.Change]) -> Int {
    changes.isEmpty ? 0 : changes.reduce(0) { $0 + $1.size }
  }

  static let longestReplay = 1_000

  let limit: Int
  /// The time before the oldest transition that is kept.
  private var beginningTime: Int
  private var entries: [Entry] = []
  private var start = 0
  /// How many of the entries lie behind; those beyond can be redone.
  private(set) var position = 0
  /// The revision before the oldest entry.
  private(set) var base = 0
  private var snapshots: [Int: [UInt8]] = [:]
  /// The bytes that all this takes, about.
  private(set) var size = 0

  init(limit: Int, at revision: Int = 0, time: Int = 0) {
    self.limit = max(1, limit)
    beginningTime = time
    base = revision
  }

  // MARK: Growing

  /// Adds a transition, with what changed beside the tree; what could have been redone is forgotten.
  mutating func append(_ transition: Transition, _ changes: [Ledger.Change]) {
    if position < entries.count {
      straighten()
      entries.removeLast(entries.count - position)
      snapshots = snapshots.filter { $0.key <= base + position }
      size = entries.reduce(0) { $0 + $1.size } + snapshots.values.reduce(0) { $0 + $1.count }
    }
    size += transition.size + History.size(of: changes)
    if entries.count < limit {
      entries.append(Entry(transition: transition, changes: changes))
      position += 1
      return
    }
    beginningTime = entries[start].transition.microseconds
    size -= entries[start].size
    entries[start] = Entry(transition: transition, changes: changes)
    start = start + 1 == limit ? 0 : start + 1
    base += 1
    forgetSnapshot(at: base - 1)
  }

  private mutating func forgetSnapshot(at revision: Int) {
    if snapshots.isEmpty { return }
    size -= snapshots.removeValue(forKey: revision)?.count ?? 0
  }

  /// Forgets the oldest transitions, a good part of all at a time, until what is kept takes no more than
  /// so many bytes, or nothing is left to go back to.
  mutating func shrink(to most: Int) {
    straighten()
    let before = size
    let goal = max(0, most - most / 8)
    var gone = 0
    while size > goal, gone < position {
      size -= entries[gone].size
      beginningTime = entries[gone].transition.microseconds
      gone += 1
      forgetSnapshot(at: base + gone - 1)
    }
    guard size < before else { return }
    entries.removeFirst(gone)
    position -= gone
    base += gone
  }

  /// Adds what changed beside the tree while the effects of the latest transition ran to their first
  /// wait.
  mutating func amend(_ changes: [Ledger.Change], at revision: Int) {
    guard !changes.isEmpty, revision == base + position, let index = index(of: revision) else {
      return
    }
    entries[index].changes += changes
    size += History.size(of: changes)
  }

  private mutating func straighten() {
    if start == 0 { return }
    entries = Array(entries[start...] + entries[..<start])
    start = 0
  }

  /// Whether a snapshot of the tree is due at this revision.
  func needsSnapshot(at revision: Int) -> Bool {
    limit > History.longestReplay && revision % History.longestReplay == 0
  }

  mutating func keep(_ snapshot: [UInt8], at revision: Int) {
    forgetSnapshot(at: revision)
    snapshots[revision] = snapshot
    size += snapshot.count
  }

  // MARK: Looking

  /// The transition that led to a revision.
  subscript(revision: Int) -> Transition? { index(of: revision).map { entries[$0].transition } }

  private func index(of revision: Int) -> Int? {
    let index = revision - base - 1
    guard entries.indices.contains(index) else { return nil }
    return (start + index) % entries.count
  }

  /// The transitions up to now, oldest first.
  package var transitions: [Transition] {
    (0..<position).map { entries[(start + $0) % entries.count].transition }
  }

  /// The revisions that can be gone to.
  package var reachable: ClosedRange<Int> { base...(base + entries.count) }

  /// The snapshot from which a jump replays least, if that is less than from here.
  func snapshot(for revision: Int, from current: Int) -> (revision: Int, state: [UInt8])? {
    guard abs(revision - current) > History.longestReplay else { return nil }
    return snapshots.filter { reachable.contains($0.key) }
      .min { (abs($0.key - revision), $0.key) < (abs($1.key - revision), $1.key) }
      .map { ($0.key, $0.value) }
  }

  /// The time of a revision that can be gone to.
  func time(at revision: Int) -> Int? {
    guard reachable.contains(revision) else { return nil }
    return self[revision]?.microseconds ?? beginningTime
  }

  /// What changed beside the tree with the transition that led to a revision.
  func changes(at revision: Int) -> [Ledger.Change] {
    index(of: revision).map { entries[$0].changes } ?? []
  }

  mutating func move(to revision: Int) { position = revision - base }
}
