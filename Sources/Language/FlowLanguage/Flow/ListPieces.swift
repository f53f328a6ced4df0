/// The pieces of a list in which some elements were inserted or removed, in their order.
///
/// They are stored in chunks, so that a search and an insertion among many pieces visit few of them.
struct ListPieces {
  enum Piece {
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

  /// The place of an element: its piece, and the number of elements before it in that piece.
  struct Position {
    fileprivate let chunk: Int
    fileprivate let index: Int
    let piece: Piece
    let offset: Int
  }

  private struct Chunk {
    var pieces: [Piece]
    /// The number of elements in all of them.
    var count: Int

    init(_ pieces: [Piece]) {
      self.pieces = pieces
      count = pieces.reduce(0) { $0 + $1.count }
    }
  }

  /// The largest number of pieces in a chunk.
  private static let most = 256

  /// None of them is empty; the last piece of all has no end.
  private var chunks = [Chunk([.kept(1..<Int.max / 2)])]

  /// All pieces.
  var all: [Piece] { chunks.flatMap(\.pieces) }

  /// Finds the element at an index.
  func find(_ index: Int) -> Position {
    var rest = min(max(index, 1), Int.max / 4) - 1
    var (chunk, piece) = (0, 0)
    while chunk < chunks.count - 1, rest >= chunks[chunk].count {
      rest -= chunks[chunk].count
      chunk += 1
    }
    let pieces = chunks[chunk].pieces
    while piece < pieces.count - 1, rest >= pieces[piece].count {
      rest -= pieces[piece].count
      piece += 1
    }
    return Position(chunk: chunk, index: piece, piece: pieces[piece], offset: rest)
  }

  /// Puts other pieces in the place of one.
  mutating func replace(_ position: Position, with pieces: [Piece]) {
    let number = position.chunk
    chunks[number].count += pieces.reduce(0) { $0 + $1.count } - position.piece.count
    chunks[number].pieces.replaceSubrange(position.index...position.index, with: pieces)
    let count = chunks[number].pieces.count
    if count == 0 {
      chunks.remove(at: number)
    } else if count > ListPieces.most {
      let rest = Array(chunks[number].pieces[(count / 2)...])
      chunks[number].pieces.removeLast(rest.count)
      chunks.insert(Chunk(rest), at: number + 1)
      chunks[number].count -= chunks[number + 1].count
    }
  }
}
