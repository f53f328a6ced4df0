import LuaRuntime

/// The elements of a list in which some were inserted or removed.
struct MovedElements {
  /// An element that the list has now: one that it had before, by its old index, or a new one.
  enum Element {
    case kept(Int)
    case inserted(WrittenPlace)
  }

  private var pieces = ListPieces()
  /// The elements that the list had before and has no longer, by their old indices.
  var removed: [Int: Value] = [:]

  func element(at index: Int) -> Element {
    let found = pieces.find(index)
    switch found.piece {
    case .kept(let range): return .kept(range.lowerBound + found.offset)
    case .inserted(let place): return .inserted(place)
    }
  }

  /// Returns the first `count` elements that the list has now.
  func elements(_ count: Int) -> [Element] {
    var elements: [Element] = []
    for piece in pieces.all {
      if elements.count == count { break }
      switch piece {
      case .kept(let range):
        elements += range.prefix(count - elements.count).map { Element.kept($0) }
      case .inserted(let place): elements.append(.inserted(place))
      }
    }
    return elements
  }

  mutating func insert(_ place: WrittenPlace, at index: Int) {
    let found = pieces.find(index)
    guard case .kept(let range) = found.piece, found.offset > 0 else {
      return pieces.replace(found, with: [.inserted(place), found.piece])
    }
    let middle = range.lowerBound + found.offset
    pieces.replace(
      found,
      with: [
        .kept(range.lowerBound..<middle), .inserted(place), .kept(middle..<range.upperBound),
      ])
  }

  /// Removes the element at an index, and returns it.
  mutating func remove(at index: Int) -> Element {
    let found = pieces.find(index)
    switch found.piece {
    case .kept(let range):
      let old = range.lowerBound + found.offset
      let rest = [range.lowerBound..<old, old + 1..<range.upperBound].filter { !$0.isEmpty }
      pieces.replace(found, with: rest.map { .kept($0) })
      return .kept(old)
    case .inserted(let place):
      pieces.replace(found, with: [])
      return .inserted(place)
    }
  }

  /// Returns the present indices of elements by their old indices; removed elements have none.
  func indices(of olds: [Int]) -> [Int: Int] {
    var indices: [Int: Int] = [:]
    var waiting = olds.sorted()[...]
    var before = 0
    for piece in pieces.all {
      if case .kept(let range) = piece {
        waiting = waiting.drop { $0 < range.lowerBound }
        while let old = waiting.first, old < range.upperBound {
          indices[old] = before + old - range.lowerBound + 1
          waiting = waiting.dropFirst()
        }
      }
      before += piece.count
    }
    return indices
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
    for piece in pieces.all {
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
