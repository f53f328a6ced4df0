import Foundation

/// Damage to the bytes of a journal's files. (https://sqlite.org/fileformat2.html)
struct Pages {
  private static let size = 4_096
  private static let frame = 24 + size

  /// Damages one of the files of a journal.
  ///
  /// - Parameter others: journals from which bytes are taken.
  /// - Returns: what was done.
  static func damage(_ journal: String, _ others: [String], _ chance: inout Chance) -> String {
    let log = journal + "-wal"
    let hasLog = (try? Data(contentsOf: URL(filePath: log)))?.isEmpty == false
    if hasLog, chance.percent(50) { return damageLog(log, others, &chance) }
    switch chance.below(40) {
    case 0:
      try? Data(chance.bytes(chance.pick(0, 1, 100, 32_768))).write(
        to: URL(filePath: journal + "-shm"))
      return "-shm by chance"
    case 1:
      return change(journal + "-mark", &chance) { data, chance in
        bytes(&data, 0..<data.count, &chance)
      }
    default:
      return change(journal, &chance) { data, chance in damage(&data, &chance) }
    }
  }

  private static func change(
    _ path: String, _ chance: inout Chance,
    _ body: (inout Data, inout Chance) -> String
  ) -> String {
    let url = URL(filePath: path)
    var data = (try? Data(contentsOf: url)) ?? Data()
    if data.isEmpty { return "nothing to damage in \(url.lastPathComponent)" }
    let done = body(&data, &chance)
    try? data.write(to: url)
    return "\(url.lastPathComponent): \(done)"
  }

  private static func damage(_ data: inout Data, _ chance: inout Chance) -> String {
    let count = max(1, data.count / size)
    let page = chance.below(count)
    let start = page * size
    let range = start..<min(data.count, start + size)
    // The head of a page's tree lies behind the file's own on the first one.
    let head = start + (page == 0 ? 100 : 0)
    switch chance.below(14) {
    case 0, 1: return bytes(&data, 0..<data.count, &chance)
    case 2: return bytes(&data, range, &chance)
    case 3:
      data.replaceSubrange(range, with: Data(count: range.count))
      return "page \(page + 1) zeroed"
    case 4, 5:
      let other = chance.below(count) * size
      guard other + size <= data.count, range.count == size else { return "nothing" }
      let (one, two) = (data.subdata(in: range), data.subdata(in: other..<other + size))
      data.replaceSubrange(range, with: two)
      let isSwapped = chance.percent(50)
      if isSwapped { data.replaceSubrange(other..<other + size, with: one) }
      return "page \(page + 1) \(isSwapped ? "swapped with" : "copied from") \(other / size + 1)"
    case 6:
      let field = chance.pick(16, 18, 19, 20, 21, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 96)
      return number(&data, at: field, field < 24 ? 1 + chance.below(2) : 4, &chance)
    case 7, 8:
      let (field, length) = chance.pick((0, 1), (1, 2), (3, 2), (5, 2), (7, 1), (8, 4))
      return number(&data, at: head + field, length, &chance)
    case 9: return number(&data, at: head + 8 + 2 * chance.below(12), 2, &chance)
    case 10:
      // A page of tables inside points to others: also in circles.
      return number(&data, at: start + chance.below(size), 4, &chance, below: count + 2)
    case 11:
      let length = chance.percent(50) ? start : chance.below(data.count)
      data.removeSubrange(length..<data.count)
      return "cut to \(length) bytes"
    case 12:
      let added = chance.from(1, to: 40)
      for _ in 0..<added {
        data.append(contentsOf: chance.percent(50) ? Data(count: size) : data.subdata(in: range))
      }
      return "\(added) pages added"
    default:
      // A list of free pages that begins anywhere.
      _ = number(&data, at: 32, 4, &chance, below: count + 2)
      _ = number(&data, at: 36, 4, &chance, below: count + 2)
      return "the list of free pages changed"
    }
  }

  private static func bytes(
    _ data: inout Data, _ range: Range<Int>, _ chance: inout Chance
  ) -> String {
    guard !range.isEmpty else { return "nothing" }
    let place = range.lowerBound + chance.below(range.count)
    switch chance.below(4) {
    case 0, 1:
      let times = chance.pick(1, 1, 1, 20, 400)
      for _ in 0..<times {
        data[range.lowerBound + chance.below(range.count)] ^= 1 << UInt8(chance.below(8))
      }
      return "\(times) bits flipped in \(range)"
    case 2:
      data[place] = chance.pick(0, 255, 127, 128, chance.byte())
      return "byte \(place) changed"
    default:
      let length = min(range.upperBound - place, chance.from(1, to: 600))
      let new = chance.percent(50) ? [UInt8](repeating: 0, count: length) : chance.bytes(length)
      data.replaceSubrange(place..<place + length, with: new)
      return "\(length) bytes at \(place) changed"
    }
  }

  private static func number(
    _ data: inout Data, at place: Int, _ length: Int, _ chance: inout Chance, below bound: Int? = nil
  ) -> String {
    guard place + length <= data.count else { return "nothing" }
    let old = data[place..<place + length].reduce(0) { $0 << 8 | Int($1) }
    let value =
      bound.map { chance.below($0) }
      ?? chance.pick(0, 1, 2, old + 1, old - 1, old ^ 128, chance.below(1 << 16), 0x7fff_ffff, -1)
    for index in 0..<length {
      data[place + index] = UInt8(truncatingIfNeeded: value >> (8 * (length - 1 - index)))
    }
    return "the number at \(place) was \(old), is \(value)"
  }

  // MARK: The log

  private static func damageLog(
    _ log: String, _ others: [String], _ chance: inout Chance
  ) -> String {
    let other = chance.one(of: others, or: log) + (chance.percent(80) ? "-wal" : "")
    if chance.percent(15) {
      try? FileManager.default.removeItem(atPath: log)
      if chance.percent(30) { return "-wal removed" }
      try? FileManager.default.copyItem(atPath: other, toPath: log)
      return "-wal is \(other)"
    }
    return change(log, &chance) { data, chance in
      let count = max(1, (data.count - 32) / frame)
      let one = 32 + chance.below(count) * frame
      switch chance.below(6) {
      case 0:
        let length = chance.percent(50) ? one : chance.below(data.count)
        data.removeSubrange(length..<data.count)
        return "cut to \(length) bytes"
      case 1: return bytes(&data, 0..<min(32, data.count), &chance)
      case 2: return bytes(&data, 0..<data.count, &chance)
      case 3: return bytes(&data, one..<min(data.count, one + 24), &chance)
      case 4:
        let two = 32 + chance.below(count) * frame
        guard one + frame <= data.count, two + frame <= data.count else { return "nothing" }
        let frames = (data.subdata(in: one..<one + frame), data.subdata(in: two..<two + frame))
        data.replaceSubrange(one..<one + frame, with: frames.1)
        if chance.percent(50) { data.replaceSubrange(two..<two + frame, with: frames.0) }
        return "frames at \(one) and \(two) exchanged"
      default:
        data.append(contentsOf: data.suffix(chance.below(frame * 2)))
        return "its end repeated"
      }
    }
  }
}
