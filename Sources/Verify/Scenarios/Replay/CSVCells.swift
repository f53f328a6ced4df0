/// The cells of the CSV row that was read last, valid until the next row is read.
///
/// They are next to each other with one byte in between: in the log itself, or in a copy if quotes had to be removed.
final class CSVCells {
  private(set) var count = 0
  private var base: UnsafePointer<UInt8>
  private let copied = ByteBuffer()
  private var ends: UnsafeMutablePointer<Int>
  private var places = 1 << 6
  private let delimiter: UInt8
  /// The delimiter, repeated eight times.
  private let delimiters: UInt64

  /// - Parameter delimiter: the character between cells, in ASCII.
  init(delimiter: UInt8 = UInt8(ascii: ",")) {
    self.delimiter = delimiter
    delimiters = 0x0101_0101_0101_0101 &* UInt64(delimiter)
    ends = .allocate(capacity: places)
    base = copied.start
  }

  deinit { ends.deallocate() }

  /// The bytes of a cell, which are UTF-8.
  subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = index == 0 ? 0 : ends[index - 1] + 1
    return UnsafeBufferPointer(start: base + start, count: ends[index] - start)
  }

  /// A cell as a string.
  func string(_ index: Int) -> String { String(decoding: self[index], as: UTF8.self) }

  /// The index of the first cell that is not UTF-8.
  var notText: Int? { (0..<count).first { String(validating: self[$0], as: UTF8.self) == nil } }

  // MARK: Cells in the log

  /// Splits a row without quotes in place; returns true if all of it is ASCII.
  func split(_ row: UnsafePointer<UInt8>, _ length: Int) -> Bool {
    base = row
    var (found, at) = (0, 0)
    var seen: UInt64 = 0
    while at + 8 <= length {
      let word = UInt64(littleEndian: UnsafeRawPointer(row + at).loadUnaligned(as: UInt64.self))
      seen |= word
      var commas = commas(word)
      if commas != 0 {
        if found + 9 > places { growEnds(found) }
        repeat {
          ends[found] = at + commas.trailingZeroBitCount >> 3
          found += 1
          commas &= commas - 1
        } while commas != 0
      }
      at += 8
    }
    if found + 9 > places { growEnds(found) }
    while at < length {
      seen |= UInt64(row[at])
      if row[at] == delimiter {
        ends[found] = at
        found += 1
      }
      at += 1
    }
    ends[found] = length
    count = found + 1
    return seen & 0x8080_8080_8080_8080 == 0
  }

  /// Returns the highest bit of each byte of the word that equals the delimiter.
  private func commas(_ word: UInt64) -> UInt64 {
    let low: UInt64 = 0x7f7f_7f7f_7f7f_7f7f
    let differs = word ^ delimiters
    return ~(((differs & low) &+ low) | differs | low)
  }

  // MARK: Cells in a copy

  /// Starts the cells of a row that are copied, because quotes are removed from it.
  func begin() {
    copied.clear()
    count = 0
  }

  func append(_ byte: UInt8) { copied.append(byte) }

  func append(_ bytes: UnsafeBufferPointer<UInt8>) { copied.append(bytes) }

  func endCell() {
    if count == places { growEnds(count) }
    ends[count] = copied.count
    count += 1
    copied.append(0)
    base = copied.start
  }

  private func growEnds(_ used: Int) {
    places *= 2
    let larger = UnsafeMutablePointer<Int>.allocate(capacity: places)
    larger.update(from: ends, count: used)
    ends.deallocate()
    ends = larger
  }
}
