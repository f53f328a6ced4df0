import FlowJournal
import Moonlatch
import Platform

/// Journals in which something was changed by somebody else: nothing wrong may be told of them.
struct Damaged {
  let file: URL
  let scratch: String
  let size: Int
  var chance: Chance

  private(set) var refused = 0
  private(set) var noticed = 0
  private(set) var harmless = 0
  private(set) var wrong: [String] = []

  init(file: URL, scratch: String, size: Int, seed: UInt64) {
    (self.file, self.scratch, self.size) = (file, scratch, size)
    chance = Chance(seed)
  }

  /// Turns one bit of the file over, so many times, each in a copy of its own.
  mutating func flip(_ count: Int) {
    let whole = contents(of: file.path)
    let last = cases(of: file)
    for _ in 0..<count {
      let place = chance.below(whole.count)
      var changed = whole
      changed[place] ^= 1 << UInt8(chance.below(8))
      look(at: changed, last, "byte \(place)")
    }
  }

  /// Cuts the log off somewhere, so many times: what is left is read where nobody knows of more, and refused where the mark
  /// does.
  mutating func tear(_ count: Int) {
    let log = contents(of: file.path + "-wal")
    if log.isEmpty { wrong.append("there is no log to cut off") }
    let copy = "\(scratch)/torn.journal"
    for _ in 0..<count {
      let length = chance.below(log.count + 1)
      for suffix in ["-shm", "-mark"] { unlink(copy + suffix) }
      put(contents(of: file.path), at: copy)
      put(Array(log.prefix(length)), at: copy + "-wal")
      put(contents(of: file.path + "-mark"), at: copy + "-mark")
      let isRefused = (try? SQLiteJournal(file: URL(fileURLWithPath: copy)).close()) == nil
      // The last commit may have been under way.
      if length < log.count - 100_000 && !isRefused {
        wrong.append("cut off at \(length): what is lost is not noticed")
      }
      unlink(copy + "-mark")
      put(contents(of: file.path), at: copy)
      put(Array(log.prefix(length)), at: copy + "-wal")
      let look = Look(at: URL(fileURLWithPath: copy), acknowledged: nil, size: size)
      if let damage = look.damage {
        wrong.append("cut off at \(length): \(damage)")
      } else {
        harmless += 1
      }
    }
  }

  private func cases(of file: URL) -> [String: Int] {
    guard let reader = try? JournalReader(file: file),
      let found = try? reader.cases(limit: .max)
    else { return [:] }
    return [String: Int](uniqueKeysWithValues: found.map { ($0.id, $0.seq) })
  }

  private mutating func look(at changed: [UInt8], _ last: [String: Int], _ what: String) {
    let copy = "\(scratch)/flipped.journal"
    for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) }
    put(changed, at: copy)
    guard let reader = try? JournalReader(file: URL(fileURLWithPath: copy)) else {
      refused += 1
      return
    }
    var isNoticed = false
    for (id, last) in last {
      for first in stride(from: 1, through: last, by: 7) {
        guard let entries = try? reader.entries(of: id, from: first, limit: 7) else {
          isNoticed = true
          continue
        }
        let right = (first..<min(first + 7, last + 1)).map {
          Workload.entry($0, of: id, size: size).asRead
        }
        // A case whose row is not found has no entries: it is missing, and verify says so.
        if entries.isEmpty {
          isNoticed = true
        } else if entries != right {
          wrong.append("\(what): entries of \(id)")
        }
      }
      for seq in stride(from: 1, through: last, by: 2) {
        let right = Workload.key(seq)
        guard let answer = try? reader.answer(to: right.key, of: id) else { continue }
        if answer != right { wrong.append("\(what): an answer of \(id)") }
      }
    }
    let findings = try? reader.verify()
    let isWhole = findings?.isWhole ?? false
    if isNoticed && isWhole {
      wrong.append("\(what): verify finds nothing, and something is missing")
    }
    if isWhole { harmless += 1 } else { noticed += 1 }
  }
}
