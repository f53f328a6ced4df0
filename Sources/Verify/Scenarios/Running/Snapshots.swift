import FlowLanguage
import LuaRuntime
import Platform

/// The snapshots of a scenario file: values and lists of dispatches as somebody last approved them.
///
/// Each is a text file of its own, `snapshots/NAME OF THE SCENARIO FILE/NAME.txt` beside the scenario file, so several
/// processes can write snapshots and a review shows what has changed. Every file in that folder counts as a snapshot,
/// and a scenario file may only have so many.
package struct Snapshots {
  /// The number of snapshots that a scenario file may have.
  static let most = 1_000
  /// The number of bytes that all snapshots of a file may take together, and that one of them may take.
  static let mostBytes = 64 << 20
  static let longest = 4 << 20

  /// The handling of a snapshot that differs or is missing.
  package enum Policy: String, Sendable {
    /// A snapshot that differs fails; one that is missing is written.
    case keep
    /// Both fail: in CI nobody would look at what was written.
    case keepAll = "keep-all"
    /// Both are written.
    case update
  }

  package enum Verdict: Equatable {
    case same
    case written(path: String)
    case differs([Mismatch], path: String)
    case missing(path: String)
    /// The snapshot can be neither read nor written, for the given reason.
    case refused(String)
  }

  /// The path of the scenario file, and its name in messages.
  let file: String
  let name: String
  let policy: Policy
  /// The room that is left for writing snapshots.
  let room: Reservation

  package init(file: String, name: String, policy: Policy, room: Reservation = Reservation()) {
    (self.file, self.name, self.policy, self.room) = (file, name, policy, room)
  }

  /// The number and the bytes of the snapshots that one process of a run may still write for all scenario files.
  package final class Reservation: Sendable {
    static let mostFiles = 10_000
    static let mostBytes = 256 << 20

    private let left: Mutex<(files: Int, bytes: Int)>

    package init(files: Int = Reservation.mostFiles, bytes: Int = Reservation.mostBytes) {
      left = Mutex((files, bytes))
    }

    /// Reserves room for a snapshot of so many bytes; returns false if there is not enough.
    func take(_ bytes: Int) -> Bool {
      left.withLock { left in
        guard left.files > 0, bytes <= left.bytes else { return false }
        left.files -= 1
        left.bytes -= bytes
        return true
      }
    }
  }

  /// Compares a text with the snapshot of this name.
  package func compare(_ text: String, with snapshot: String) -> Verdict {
    let path = Snapshots.path(snapshot, of: file)
    let shown = Snapshots.path(snapshot, of: name)
    let text = Snapshots.kept(text)
    guard text.utf8.count <= Snapshots.longest else {
      return .refused(
        "\(shown) would be larger than \(Snapshots.longest >> 20) MB, the limit of a snapshot"
      )
    }
    guard PathSandbox([Snapshots.folder(of: file)]).holds(path) else {
      return .refused("\(shown) is a link out of the scenario file's folder, which is not followed")
    }
    guard TextFile.kind(of: path) != nil else {
      return policy == .keepAll ? .missing(path: shown) : write(text, to: path, shown)
    }
    let kept: String
    do {
      kept = try TextFile.read(path, name: shown)
    } catch {
      return .refused("\(error)")
    }
    if kept.utf8.elementsEqual(text.utf8) { return .same }
    if policy == .update { return write(text, to: path, shown) }
    return .differs(Snapshots.differences(kept, text), path: shown)
  }

  /// Returns the text as the file stores it, with a line end at its end.
  ///
  /// A text that begins with a byte-order mark, or as compiled Lua does, gets an empty line in front, because it would
  /// be read as something else.
  private static func kept(_ text: String) -> String {
    let isMistaken = ["\u{feff}", "\u{1b}"].contains(text.unicodeScalars.first)
    return (isMistaken ? "\n" : "") + (text.hasSuffix("\n") ? text : text + "\n")
  }

  /// Returns true if the name is a valid file name on every system.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 100 && name.first != "."
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || " -_.".contains($0)) }
  }

  private static func folder(of file: String) -> String {
    file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
  }

  /// The folder of a file's snapshots.
  private static func snapshots(of file: String) -> String {
    let folder = folder(of: file)
    let own = file.dropFirst(folder.count)
    let stem =
      own.hasSuffix(FlowFile.scenarioSuffix) ? own.dropLast(FlowFile.scenarioSuffix.count) : own
    return "\(folder)snapshots/\(stem)"
  }

  private static func path(_ snapshot: String, of file: String) -> String {
    "\(snapshots(of: file))/\(snapshot).txt"
  }

  private func write(_ text: String, to path: String, _ shown: String) -> Verdict {
    let folder = Snapshots.snapshots(of: file)
    mkdir(Snapshots.folder(of: folder), 0o755)
    mkdir(folder, 0o755)
    if let problem = problem(with: text.utf8.count, besides: path, in: folder) {
      return .refused(problem)
    }
    guard room.take(text.utf8.count) else {
      return .refused(
        "\(shown) is not written: this run has written \(Reservation.mostFiles) snapshots or "
          + "\(Reservation.mostBytes >> 20) MB of them, the limit of one process of a run")
    }
    do {
      try OutputFile.write(text, to: path, named: shown) { _ in true }
    } catch {
      return .refused("\(error)")
    }
    return .written(path: shown)
  }

  /// Returns the reason that there is no room for so many bytes, or nil.
  ///
  /// It reads the folder each time, because other processes write to it.
  private func problem(with count: Int, besides path: String, in folder: String) -> String? {
    var others = 0
    var bytes = count
    for entry in FolderListing(folder)?.entries ?? [] {
      let other = "\(folder)/\(entry.name)"
      var status = stat()
      guard other != path, lstat(other, &status) == 0 else { continue }
      others += 1
      bytes += Int(status.st_size)
    }
    let shown = Snapshots.snapshots(of: name)
    if others >= Snapshots.most {
      return
        "\(shown) holds \(Snapshots.most) snapshots already, the limit of a scenario file"
    }
    if bytes > Snapshots.mostBytes {
      return "\(shown) would take more than \(Snapshots.mostBytes >> 20) MB, the limit of the "
        + "snapshots of a scenario file"
    }
    return nil
  }

  /// Returns the lines that differ, with their numbers.
  private static func differences(_ kept: String, _ text: String) -> [Mismatch] {
    func lines(_ text: String) -> [Substring] {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.last?.isEmpty == true ? lines.dropLast() : lines
    }
    let (old, new) = (lines(kept), lines(text))
    let told = (0..<max(old.count, new.count)).compactMap { index -> Mismatch? in
      let expected = index < old.count ? old[index] : nil
      let found = index < new.count ? new[index] : nil
      guard expected != found else { return nil }
      return Mismatch(
        path: "line \(index + 1)", expected: expected.map(String.init) ?? "no line",
        found: found.map(String.init) ?? "no line")
    }
    if !told.isEmpty { return told }
    // No line shows the difference: how characters are composed, or whether the last line ends.
    return [Mismatch(path: "the text", expected: "other bytes", found: "what looks the same")]
  }
}

/// Values and lists of dispatches as the lines of a snapshot.
///
/// Everything of any size is on a line of its own, so that a difference shows where it is.
package enum SnapshotText {
  package static func text(of value: Value) -> String {
    lines(value, indent: "").joined(separator: "\n")
  }

  /// Returns the text of what a scenario has dispatched so far.
  static func text(of steps: [Step], earlier: Int) -> String {
    var record = ScenarioRecord(file: "", line: 0, name: "", status: .passed)
    record.steps = steps.map { step in
      var told = StepRecord(step)
      told.microseconds = nil
      if step.isFromQueue { told.payload = nil }
      return told
    }
    record.earlierSteps = earlier
    return ScenarioText(record: record, tellsEveryStep: true).course
      .map { String($0.dropFirst(2)) }.joined(separator: "\n")
  }

  private static func lines(_ value: Value, indent: String) -> [String] {
    let whole = value.text(limit: .max)
    if whole.utf8.count <= 60 { return [indent + whole] }
    let inner = indent + "  "
    func block(_ entries: [(String, Value)], _ word: String = "") -> [String] {
      var block: [String] = [indent + word + "{"]
      for (key, value) in entries {
        var lines = lines(value, indent: inner)
        lines[0] = inner + key + lines[0].dropFirst(inner.count)
        lines[lines.count - 1] += ","
        block += lines
      }
      block.append(indent + "}")
      return block
    }
    switch value {
    case .list(let elements): return block(elements.map { ("", $0) })
    case .record(let fields):
      return block(fields.sorted { $0.key < $1.key }.map { ("\(Value.key($0.key)) = ", $0.value) })
    case .map(let entries):
      return block(
        entries.sorted { $0.key < $1.key }.map { ("[\($0.key)] = ", $0.value) }, "map ")
    default: return [indent + whole]
    }
  }
}
