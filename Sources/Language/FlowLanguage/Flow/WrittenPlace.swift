import LuaRuntime

/// A place that was written: as a whole, in parts, or as a list whose elements have moved.
final class WrittenPlace {
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
    // The value is changed where it is: bound to a name it would be copied at each change.
    if whole != nil {
      if keys.isEmpty {
        whole?.new = change.new
      } else {
        let path = StatePath(Array(keys))
        whole?.new.apply([
          Patch.Change(operation: change.operation, path: path, old: change.old, new: change.new)
        ])
      }
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
    var value = now
    for key in inRestoringOrder {
      guard let place = inner[key] else { continue }
      let current = value[key] ?? .nil
      value.apply([
        Patch.Change(
          operation: .set, path: StatePath([key]), old: current, new: place.before(current))
      ])
    }
    return value
  }

  /// The keys: first those of elements that a list did not have, the last first, then the others in ascending order.
  private var inRestoringOrder: [StatePath.Key] {
    func rank(_ key: StatePath.Key) -> (Int, Int) {
      guard case .index(let index) = key else { return (1, 0) }
      return inner[key]?.whole?.old.isNil == true ? (0, ~index) : (1, index)
    }
    return keys.sorted { rank($0) < rank($1) }
  }

  private func before(_ now: [Value], _ elements: MovedElements) -> Value {
    var known = elements.removed
    for (element, value) in zip(elements.elements(now.count), now) {
      guard case .kept(let old) = element else { continue }
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
    let indices = elements.indices(
      of: keys.compactMap { key -> Int? in
        if case .index(let old) = key { old } else { nil }
      })
    let kept = keys.compactMap { key -> (StatePath.Key, WrittenPlace)? in
      guard case .index(let old) = key, let place = inner[key] else { return nil }
      return indices[old].map { (.index($0), place) }
    }
    return changes + WrittenPlace.inOrder(kept).flatMap { $1.changes(at: path + [$0]) }
  }

  private func change(
    _ operation: Patch.Operation, _ path: [StatePath.Key], _ old: Value, _ new: Value
  ) -> Patch.Change {
    Patch.Change(operation: operation, path: StatePath(path), old: old, new: new)
  }
}
