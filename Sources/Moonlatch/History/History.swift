/// The latest transitions and what is needed to go back to each: bounded, oldest dropped first.
///
/// Beside the state's tree, which goes back by its patches, a moment keeps what lives in the engine.
/// Transitions that change none of it share one moment. Every 1,000 transitions a snapshot of the
/// tree is kept, so that a jump never replays more than that; a history of up to 1,000 needs none.
package struct History: Sendable {
  /// What belongs to a revision besides the state's tree.
  final class Moment: Sendable {
    let keepers: Keepers
    let random: SeededRandom
    let timers: Timers
    let entries: [Int]
    /// For each scope the instance that the state held open.
    let openings: [Int?]
    let openingsVersion: Int

    init(
      keepers: Keepers, random: SeededRandom, timers: Timers, entries: [Int], openings: [Int?],
      openingsVersion: Int
    ) {
      self.keepers = keepers
      self.random = random
      self.timers = timers
      self.entries = entries
      self.openings = openings
      self.openingsVersion = openingsVersion
    }

    /// Whether nothing has changed since: every change of these gives them another version.
    func isStill(keepers: Int, random: UInt64, timers: Int, openings: Int) -> Bool {
      self.keepers.version == keepers && self.random.state == random
        && self.timers.version == timers && openingsVersion == openings
    }
  }

  struct Entry: Sendable {
    let transition: Transition
    /// Nil: the same as before.
    var moment: Moment?
  }

  static let longestReplay = 1_000

  let limit: Int
  /// The moment before the oldest transition that is kept.
  private var beginning: Moment
  private var beginningTime: Int
  private var entries: [Entry] = []
  private var start = 0
  /// How many of the entries lie behind; those beyond can be redone.
  private(set) var position = 0
  /// The revision before the oldest entry.
  private(set) var base = 0
  private var snapshots: [Int: [UInt8]] = [:]

  init(limit: Int, beginning: Moment, at revision: Int = 0, time: Int = 0) {
    self.limit = max(1, limit)
    self.beginning = beginning
    beginningTime = time
    base = revision
  }

  // MARK: Growing

  /// Adds a transition, with its moment if that is another one than before; what could have been
  /// redone is forgotten.
  mutating func append(_ transition: Transition, _ moment: Moment?) {
    if position < entries.count {
      straighten()
      entries.removeLast(entries.count - position)
      snapshots = snapshots.filter { $0.key <= base + position }
    }
    if entries.count < limit {
      entries.append(Entry(transition: transition, moment: moment))
      position += 1
      return
    }
    if let moment = entries[start].moment { beginning = moment }
    beginningTime = entries[start].transition.microseconds
    entries[start] = Entry(transition: transition, moment: moment)
    start = start + 1 == limit ? 0 : start + 1
    base += 1
    if !snapshots.isEmpty { snapshots[base - 1] = nil }
  }

  /// Replaces the moment of the latest transition, once its effects have run to their first wait.
  mutating func amend(_ moment: Moment, at revision: Int) {
    guard revision == base + position, let index = index(of: revision) else { return }
    entries[index].moment = moment
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

  mutating func keep(_ snapshot: [UInt8], at revision: Int) { snapshots[revision] = snapshot }

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

  package var last: Transition? { self[base + position] }

  /// The revisions that can be gone to.
  package var reachable: ClosedRange<Int> { base...(base + entries.count) }

  /// The snapshot from which a jump replays least, if that is less than from here.
  func snapshot(for revision: Int, from current: Int) -> (revision: Int, state: [UInt8])? {
    guard abs(revision - current) > History.longestReplay else { return nil }
    return snapshots.filter { reachable.contains($0.key) }
      .min { (abs($0.key - revision), $0.key) < (abs($1.key - revision), $1.key) }
      .map { ($0.key, $0.value) }
  }

  func moment(at revision: Int) -> (moment: Moment, time: Int)? {
    guard reachable.contains(revision) else { return nil }
    let time = self[revision]?.microseconds ?? beginningTime
    for earlier in stride(from: revision, to: base, by: -1) {
      if let index = index(of: earlier), let moment = entries[index].moment {
        return (moment, time)
      }
    }
    return (beginning, time)
  }

  mutating func move(to revision: Int) { position = revision - base }
}
