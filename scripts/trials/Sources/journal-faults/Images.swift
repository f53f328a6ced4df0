import FlowJournal
import Moonlatch
import Platform

/// The possible contents of a disk after a power cut at some moment of a recorded run.
///
/// All synced writes are there; of the others none, all, the first ones, or each sector at random.
struct Images {
  private struct Note {
    let what: UInt32
    let file: Int
    let offset: Int
    let bytes: ArraySlice<UInt8>
  }

  private struct File {
    let name: String
    var synced: [UInt8] = []
    var isThere = false
    var pending: [Note] = []
    var isRemoved = false
  }

  private enum Kept: CaseIterable { case nothing, everything, beginning, sectors, sectorsToo }

  private static let sector = 512
  private let notes: [Note]
  private var files: [File] = []
  private var chance: Chance

  init(trace: String, seed: UInt64) {
    let all = contents(of: trace)[...]
    var (notes, rest): ([Note], ArraySlice<UInt8>) = ([], all)
    func number(_ start: Int, _ count: Int) -> Int {
      rest[(rest.startIndex + start)...].prefix(count).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    while rest.count >= 24 {
      let (what, file, length, offset) = (number(0, 4), number(4, 4), number(8, 8), number(16, 8))
      rest = rest.dropFirst(24)
      let bytes = what <= 1 ? rest.prefix(length) : []
      rest = rest.dropFirst(bytes.count)
      notes.append(Note(what: UInt32(what), file: file, offset: offset, bytes: bytes))
    }
    self.notes = notes
    chance = Chance(seed)
  }

  /// True if nothing was recorded.
  var isEmpty: Bool { notes.isEmpty }

  /// Makes so many images, and looks at each.
  mutating func run(cuts: Int, scratch: String, size: Int) -> (
    lost: Int, most: Int, damage: [String]
  ) {
    var (lost, most, damage): (Int, Int, [String]) = (0, 0, [])
    var acknowledged = Acknowledged()
    var made = 0
    for (index, note) in notes.enumerated() {
      if note.what == 1 && name(note.file) == "acks" {
        acknowledged.merge(Acknowledged(lines: note.bytes)) { max($0, $1) }
      } else {
        apply(note)
      }
      while made * notes.count < cuts * (index + 1) {
        made += 1
        let folder = "\(scratch)/image"
        write(to: folder)
        let look = Look(
          at: URL(fileURLWithPath: "\(folder)/a.journal"),
          acknowledged: acknowledged, size: size, goesOn: made % 20 == 0)
        if look.lost > 0 { lost += 1 }
        most = max(most, look.lost)
        if let found = look.damage { damage.append("after note \(index): \(found)") }
      }
    }
    return (lost, most, damage)
  }

  private func name(_ file: Int) -> String { files.indices.contains(file) ? files[file].name : "" }

  private mutating func apply(_ note: Note) {
    switch note.what {
    case 0: files.append(File(name: String(decoding: note.bytes, as: UTF8.self)))
    case 2 where files[note.file].name == ".":
      for index in files.indices where files[index].isRemoved {
        files[index] = File(name: files[index].name)
      }
    case 2:
      let pending = files[note.file].pending
      for old in pending { Self.perform(old, on: &files[note.file].synced) }
      files[note.file].pending = []
      files[note.file].isThere = true
    case 5:
      // The system takes failed writes for done: each sector of them is on the disk, or never will be.
      for old in files[note.file].pending {
        var bytes = files[note.file].synced
        perform(old, on: &bytes, odds: 5)
        files[note.file].synced = bytes
      }
      files[note.file].pending = []
    case 4: files[note.file].isRemoved = true
    default:
      if files[note.file].isRemoved {
        files[note.file] = File(name: files[note.file].name)
      }
      files[note.file].pending.append(note)
    }
  }

  private static func perform(_ note: Note, on bytes: inout [UInt8]) {
    if note.what == 3 {
      let missing = max(0, note.offset - bytes.count)
      bytes.removeLast(max(0, bytes.count - note.offset))
      bytes += [UInt8](repeating: 0, count: missing)
      return
    }
    let end = note.offset + note.bytes.count
    if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
    bytes.replaceSubrange(note.offset..<end, with: note.bytes)
  }

  private mutating func write(to folder: String) {
    try? FileManager.default.removeItem(atPath: folder)
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    let kept = Kept.allCases[chance.below(Kept.allCases.count)]
    for file in files where !["acks", "."].contains(file.name) {
      if file.isRemoved && (kept == .everything || chance.below(2) == 0) { continue }
      if !file.isThere && file.pending.isEmpty { continue }
      var bytes = file.synced
      switch kept {
      case .nothing: break
      case .everything: for note in file.pending { Self.perform(note, on: &bytes) }
      case .beginning:
        for note in file.pending.prefix(chance.below(file.pending.count + 1)) {
          Self.perform(note, on: &bytes)
        }
      case .sectors, .sectorsToo:
        let odds = 1 + chance.below(9)
        for note in file.pending { perform(note, on: &bytes, odds: odds) }
      }
      put(bytes, at: "\(folder)/\(file.name)")
    }
  }

  /// Keeps each sector of a write with a chance.
  private mutating func perform(_ note: Note, on bytes: inout [UInt8], odds: Int) {
    if note.what == 3 {
      if chance.below(10) < odds { Self.perform(note, on: &bytes) }
      return
    }
    var start = note.bytes.startIndex
    while start < note.bytes.endIndex {
      let place = note.offset + start - note.bytes.startIndex
      let end = min(note.bytes.endIndex, start + Self.sector - place % Self.sector)
      if chance.below(10) < odds {
        Self.perform(
          Note(what: 1, file: note.file, offset: place, bytes: note.bytes[start..<end]), on: &bytes)
      }
      start = end
    }
  }
}
