import LuaRuntime

/// The net effect of a sequence of changes: a tree of the places that they have written.
///
/// Only the changes are known, not the state. A list in which elements were inserted or removed is followed as a sequence
/// of the elements that it had before (by their old indices) and of new ones.
struct NetChanges {
  private let root = WrittenPlace()

  init(of changes: [Patch.Change]) {
    for change in changes { root.apply(change, change.path.keys[...]) }
  }

  /// The net changes, in the order in which their places were first written.
  var changes: [Patch.Change] { root.changes(at: []) }

  /// The largest number of changes that are compared with each other.
  private static let few = 8

  /// Returns true if changes are few, and obviously none of them takes another one back.
  static func areNet(_ changes: [Patch.Change]) -> Bool {
    if changes.count < 2 { return true }
    guard changes.count <= few, changes.allSatisfy({ $0.operation == .set }) else { return false }
    for (index, change) in changes.enumerated() {
      for other in changes[(index + 1)...]
      where zip(change.path.keys, other.path.keys).allSatisfy({ $0 == $1 }) { return false }
    }
    return true
  }
}

/// A place that was written: as a whole, in parts, or as a list whose elements have moved.
private final class WrittenPlace {
  /// The values before and after, if the place was written as a whole.
  private var whole: (old: Value, new: Value)?
  /// The places inside that were written, and their keys in the order of the first write.
  ///
  /// The elements of a list are found by the indices that they had before.
  private var inner: [StatePath.Key: WrittenPlace] = [:]
  private var keys: [StatePath.Key] = []
  /// The elements, if some were inserted or removed.
  private var elements: MovedElements?

  init() {}

  /// Creates the place of a value that was not there before.
  init(inserted value: Value) { whole = (.nil, value) }

  /// The value after the changes, if the place was written as a whole.
  var new: Value { whole?.new ?? .nil }

  // MARK: Writing

  /// Applies a change at the path `keys` below this place.
  func apply(_ change: Patch.Change, _ keys: ArraySlice<StatePath.Key>) {
    if let whole {
      let inside = Patch.Change(
        operation: change.operation, path: StatePath(Array(keys)), old: change.old, new: change.new)
      self.whole = (whole.old, keys.isEmpty ? change.new : whole.new.applying(inside))
      return
    }
    guard let first = keys.first else {
      whole = (before(change.old), change.new)
      (inner, self.keys, elements) = ([:], [], nil)
      return
    }
    if keys.count == 1, change.operation != .set, case .index(let index) = first {
      if change.operation == .insert {
        insert(change.new, index)
      } else {
        remove(change.old, index)
      }
      return
    }
    place(at: first).apply(change, keys.dropFirst())
  }

  /// Returns the place under a key, as it is now.
  private func place(at key: StatePath.Key) -> WrittenPlace {
    var key = key
    if case .index(let index) = key, let elements {
      switch elements.element(at: index) {
      case .inserted(let place): return place
      case .kept(let old): key = .index(old)
      }
    }
    if let known = inner[key] { return known }
    let place = WrittenPlace()
    inner[key] = place
    keys.append(key)
    return place
  }

  private func insert(_ value: Value, _ index: Int) {
    if elements == nil { elements = MovedElements() }
    elements?.insert(WrittenPlace(inserted: value), at: index)
  }

  private func remove(_ value: Value, _ index: Int) {
    if elements == nil { elements = MovedElements() }
    guard case .kept(let old)? = elements?.remove(at: index) else { return }
    let before = inner.removeValue(forKey: .index(old))?.before(value) ?? value
    if !before.isNil { elements?.removed[old] = before }
  }

  // MARK: Before

  /// Returns the value that this place had before, given the value that it has now.
  func before(_ now: Value) -> Value {
    if let whole { return whole.old }
    if let elements { return before(now.listValue ?? [], elements) }
    return inRestoringOrder.reduce(now) { value, key in
      guard let place = inner[key] else { return value }
      let current = value[key] ?? .nil
      return value.applying(
        Patch.Change(
          operation: .set, path: StatePath([key]), old: current, new: place.before(current)))
    }
  }

  /// The keys: first those of elements that a list did not have, the last first, then the others in ascending order.
  private var inRestoringOrder: [StatePath.Key] {
    func rank(_ key: StatePath.Key) -> (Int, Int) {
      guard case .index(let index) = key else { return (1, 0) }
      return inner[key]?.whole?.old.isNil == true ? (0, -index) : (1, index)
    }
    return keys.sorted { rank($0) < rank($1) }
  }

  private func before(_ now: [Value], _ elements: MovedElements) -> Value {
    var known = elements.removed
    for (index, value) in now.enumerated() {
      guard case .kept(let old) = elements.element(at: index + 1) else { continue }
      known[old] = inner[.index(old)]?.before(value) ?? value
    }
    return .list(known.sorted { $0.key < $1.key }.map(\.value).filter { !$0.isNil })
  }

  // MARK: Changes

  /// Returns the net changes of this place and those inside.
  func changes(at path: [StatePath.Key]) -> [Patch.Change] {
    if let whole {
      if whole.old == whole.new || whole.old.isEmptyTable && whole.new.isEmptyTable { return [] }
      return [change(.set, path, whole.old, whole.new)]
    }
    if let elements { return changes(of: elements, at: path) }
    return WrittenPlace.inOrder(
      keys.compactMap { key in inner[key].map { (key, $0) } }
    ).flatMap { $1.changes(at: path + [$0]) }
  }

  /// Returns places with those behind the others that empty the end of a list, the last first.
  private static func inOrder(
    _ places: [(StatePath.Key, WrittenPlace)]
  ) -> [(StatePath.Key, WrittenPlace)] {
    let emptied = places.compactMap { key, place -> (Int, WrittenPlace)? in
      guard case .index(let index) = key, place.whole?.new.isNil == true else { return nil }
      return (index, place)
    }
    if emptied.isEmpty { return places }
    let others = places.filter { key, place in
      if case .index = key { place.whole?.new.isNil != true } else { true }
    }
    return others + emptied.sorted { $0.0 > $1.0 }.map { (.index($0), $1) }
  }

  /// Returns the changes of a list: first the elements that go, the last first, then those that come, then the others.
  ///
  /// If one goes and another comes between the same neighbours, an element is replaced.
  private func changes(of elements: MovedElements, at path: [StatePath.Key]) -> [Patch.Change] {
    let aligned = elements.aligned
    var changes = aligned.gone.reversed().map { old, value in
      change(.remove, path + [.index(old)], value, .nil)
    }
    changes += aligned.came.map { index, place in
      change(.insert, path + [.index(index)], .nil, place.new)
    }
    for (index, old, place) in aligned.replaced where old != place.new {
      changes.append(change(.set, path + [.index(index)], old, place.new))
    }
    let kept = keys.compactMap { key -> (StatePath.Key, WrittenPlace)? in
      guard case .index(let old) = key, let place = inner[key] else { return nil }
      return elements.index(of: old).map { (.index($0), place) }
    }
    return changes + WrittenPlace.inOrder(kept).flatMap { $1.changes(at: path + [$0]) }
  }

  private func change(
    _ operation: Patch.Operation, _ path: [StatePath.Key], _ old: Value, _ new: Value
  ) -> Patch.Change {
    Patch.Change(operation: operation, path: StatePath(path), old: old, new: new)
  }
}

/// The elements of a list in which some were inserted or removed.
private struct MovedElements {
  /// An element that the list has now: one that it had before, by its old index, or a new one.
  enum Element {
    case kept(Int)
    case inserted(WrittenPlace)
  }

  private enum Piece {
    /// Elements that the list had before, from an old index up to another one; the list may be shorter.
    case kept(Range<Int>)
    case inserted(WrittenPlace)

    var count: Int {
      switch self {
      case .kept(let range): range.count
      case .inserted: 1
      }
    }
  }

  private var pieces: [Piece] = [.kept(1..<Int.max / 2)]
  /// The elements that the list had before and has no longer, by their old indices.
  var removed: [Int: Value] = [:]

  /// Returns the piece with the element at an index, and the number of elements before it in that piece.
  private func find(_ index: Int) -> (piece: Int, offset: Int) {
    var before = 0
    for (number, piece) in pieces.enumerated() {
      if index - before <= piece.count { return (number, max(0, index - before - 1)) }
      before += piece.count
    }
    return (pieces.count - 1, max(0, index - before - 1))
  }

  func element(at index: Int) -> Element {
    let (piece, offset) = find(index)
    switch pieces[piece] {
    case .kept(let range): return .kept(range.lowerBound + offset)
    case .inserted(let place): return .inserted(place)
    }
  }

  mutating func insert(_ place: WrittenPlace, at index: Int) {
    let (piece, offset) = find(index)
    guard case .kept(let range) = pieces[piece], offset > 0 else {
      return pieces.insert(.inserted(place), at: piece)
    }
    let middle = range.lowerBound + offset
    pieces.replaceSubrange(
      piece...piece,
      with: [
        .kept(range.lowerBound..<middle), .inserted(place), .kept(middle..<range.upperBound),
      ])
  }

  /// Removes the element at an index, and returns it.
  mutating func remove(at index: Int) -> Element {
    let (piece, offset) = find(index)
    let element = element(at: index)
    guard case .kept(let range) = pieces[piece] else {
      pieces.remove(at: piece)
      return element
    }
    let old = range.lowerBound + offset
    let rest = [range.lowerBound..<old, old + 1..<range.upperBound].filter { !$0.isEmpty }
    pieces.replaceSubrange(piece...piece, with: rest.map { .kept($0) })
    return element
  }

  /// Returns the index that an element has now; nil if it was removed.
  func index(of old: Int) -> Int? {
    var before = 0
    for piece in pieces {
      if case .kept(let range) = piece, range.contains(old) {
        return before + old - range.lowerBound + 1
      }
      before += piece.count
    }
    return nil
  }

  /// The elements that are gone, with their old indices; those that came, with their new ones; and those in whose place
  /// another one came.
  var aligned:
    (
      gone: [(Int, Value)], came: [(Int, WrittenPlace)],
      replaced: [(index: Int, old: Value, place: WrittenPlace)]
    )
  {
    var gone: [(Int, Value)] = []
    var came: [(Int, WrittenPlace)] = []
    var replaced: [(index: Int, old: Value, place: WrittenPlace)] = []
    var waiting: [(Int, WrittenPlace)] = []
    var (index, next) = (1, 1)
    for piece in pieces {
      switch piece {
      case .inserted(let place):
        waiting.append((index, place))
        index += 1
      case .kept(let range):
        // Between the element before and the first of these.
        let lost = (next..<range.lowerBound).compactMap { old in removed[old].map { (old, $0) } }
        for ((_, value), (index, place)) in zip(lost, waiting) {
          replaced.append((index, value, place))
        }
        gone += lost.dropFirst(waiting.count)
        came += waiting.dropFirst(lost.count)
        waiting = []
        index += range.count
        next = range.upperBound
      }
    }
    return (gone, came, replaced)
  }
}
