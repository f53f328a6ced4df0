import LuaRuntime

/// The elements of a list in which some were inserted or removed.
struct MovedElements {
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
    let index = min(max(index, 1), Int.max / 4)
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
