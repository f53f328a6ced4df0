/// The contents of a terminal of some size: it interprets as much of xterm as a line editor writes.
struct Screen {
  private var rows: [[Character]] = [[]]
  private var row = 0
  private var column = 0
  /// True after the last column was written: the next character begins a new row.
  private var isAtMargin = false
  private var escape: [UInt8]?
  private var bytes: [UInt8] = []
  private let width: Int

  init(width: Int = 80) { self.width = width }

  /// Everything that was ever shown, without what was written over; rows have no spaces at the end.
  var text: String {
    rows.map { row in
      var text = String(row)
      while text.last == " " { text.removeLast() }
      return text
    }.joined(separator: "\n")
  }

  /// The row of the cursor up to it.
  var beforeCursor: String { String(rows[row].prefix(column)) }

  mutating func write(_ output: some Sequence<UInt8>) {
    for byte in output { write(byte) }
  }

  private mutating func write(_ byte: UInt8) {
    if escape != nil { return follow(byte) }
    switch byte {
    case 0x1b: escape = []
    case 0x0a: moveDown()
    case 0x0d: (column, isAtMargin) = (0, false)
    case 0x08: (column, isAtMargin) = (max(0, column - 1), false)
    case 0x07: break
    case 0x09: for _ in 0..<(8 - column % 8) { put(" ") }
    default: collect(byte)
    }
  }

  private mutating func collect(_ byte: UInt8) {
    bytes.append(byte)
    guard let text = String(validating: bytes, as: UTF8.self), let character = text.first else {
      return
    }
    bytes = []
    put(character)
  }

  private mutating func put(_ character: Character) {
    if isAtMargin {
      moveDown()
      column = 0
    }
    pad(to: column + 1)
    rows[row][column] = character
    isAtMargin = column == width - 1
    if !isAtMargin { column += 1 }
  }

  private mutating func pad(to length: Int) {
    while rows[row].count < length { rows[row].append(" ") }
  }

  private mutating func moveDown() {
    row += 1
    isAtMargin = false
    if row == rows.count { rows.append([]) }
  }

  // MARK: Escape sequences

  private mutating func follow(_ byte: UInt8) {
    guard var sequence = escape else { return }
    sequence.append(byte)
    escape = sequence
    switch Character(UnicodeScalar(sequence[0])) {
    case "[": break
    case "(", ")":  // the character set, which is ASCII
      if sequence.count == 2 { escape = nil }
      return
    case "]":  // the title of the window, up to BEL or ESC \
      if byte == 0x07 || sequence.suffix(2) == [0x1b, UInt8(ascii: "\\")] { escape = nil }
      return
    default:
      escape = nil
      return
    }
    guard sequence.count > 1, (0x40...0x7e).contains(byte) else { return }
    escape = nil
    let parameters = String(decoding: sequence.dropFirst().dropLast(), as: UTF8.self)
    isAtMargin = false
    carryOut(byte, Int(parameters) ?? (parameters.isEmpty ? nil : 0))
  }

  private mutating func carryOut(_ command: UInt8, _ parameter: Int?) {
    let count = max(1, parameter ?? 1)
    switch Character(UnicodeScalar(command)) {
    case "A": row = max(0, row - count)
    case "B": for _ in 0..<count { moveDown() }
    case "C":
      column = min(width - 1, column + count)
      pad(to: column)
    case "D": column = max(0, column - count)
    case "G":
      column = count - 1
      pad(to: column)
    case "K" where (parameter ?? 0) == 0: rows[row] = Array(rows[row].prefix(column))
    case "J" where (parameter ?? 0) == 0:
      rows[row] = Array(rows[row].prefix(column))
      rows.removeSubrange((row + 1)...)
    case "P":
      if column < rows[row].count {
        rows[row].removeSubrange(column..<min(rows[row].count, column + count))
      }
    case "@":
      pad(to: column)
      rows[row].insert(contentsOf: Array(repeating: " ", count: count), at: column)
      rows[row] = Array(rows[row].prefix(width))
    default: break
    }
  }
}
