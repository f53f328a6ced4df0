import Moonlatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a value or a scenario's course was when somebody last looked and found it good.
///
/// Each is a text file of its own, `snapshots/NAME OF THE SCENARIO FILE/NAME.txt` beside the scenario
/// file, so that several processes can write them and a review shows what has changed.
package struct Snapshots {
  /// What comes of a snapshot that differs, or is not there.
  package enum Policy: String, Sendable {
    /// One that differs fails, one that is missing is written.
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
    case unwritable(path: String, why: String)
  }

  /// The scenario file, and how messages name it.
  let file: String
  let name: String
  let policy: Policy

  package init(file: String, name: String, policy: Policy) {
    (self.file, self.name, self.policy) = (file, name, policy)
  }

  /// Compares a text with the snapshot of this name.
  package func compare(_ text: String, with snapshot: String) -> Verdict {
    let path = Snapshots.path(snapshot, of: file)
    let shown = Snapshots.path(snapshot, of: name)
    let text = Snapshots.kept(text)
    guard TextFile.kind(of: path) != nil else {
      return policy == .keepAll ? .missing(path: shown) : write(text, to: path, shown)
    }
    let kept = (try? TextFile.read(path, name: shown)) ?? ""
    if kept.utf8.elementsEqual(text.utf8) { return .same }
    if policy == .update { return write(text, to: path, shown) }
    return .differs(Snapshots.differences(kept, text), path: shown)
  }

  /// The text as a file holds it: one that began with a byte-order mark, or as compiled Lua does, would
  /// be read as another.
  private static func kept(_ text: String) -> String {
    let isMistaken = ["\u{feff}", "\u{1b}"].contains(text.unicodeScalars.first)
    return (isMistaken ? "\n" : "") + (text.hasSuffix("\n") ? text : text + "\n")
  }

  /// Whether a name can be that of a file anywhere.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 100 && name.first != "."
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || " -_.".contains($0)) }
  }

  private static func path(_ snapshot: String, of file: String) -> String {
    let slash = file.lastIndex(of: "/")
    let folder = slash.map { String(file[...$0]) } ?? ""
    let own = slash.map { file[file.index(after: $0)...] } ?? file[...]
    let stem = own.hasSuffix(ScenarioFile.suffix) ? own.dropLast(ScenarioFile.suffix.count) : own
    return "\(folder)snapshots/\(stem)/\(snapshot).txt"
  }

  private func write(_ text: String, to path: String, _ shown: String) -> Verdict {
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "/\(part)"
      mkdir(folder, 0o755)
    }
    let new = "\(path).\(getpid())"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      return .unwritable(path: shown, why: String(cString: strerror(errno)))
    }
    let isWritten = Terminal.write(text, to: descriptor)
    close(descriptor)
    guard isWritten, rename(new, path) == 0 else {
      unlink(new)
      return .unwritable(path: shown, why: String(cString: strerror(errno)))
    }
    return .written(path: shown)
  }

  /// The lines that are not the same, by their numbers.
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
    // What no line shows: how characters are put together, whether the last line ends.
    return [Mismatch(path: "the text", expected: "other bytes", found: "what looks the same")]
  }
}

/// Values and courses as the lines of a snapshot: everything of any size on a line of its own, so
/// that a difference is seen where it is.
package enum SnapshotText {
  package static func text(of value: Value) -> String {
    lines(value, indent: "").joined(separator: "\n")
  }

  /// What a scenario has dispatched so far.
  static func text(of steps: [Step], earlier: Int) -> String {
    var record = ScenarioRecord(file: "", line: 0, name: "", status: .passed)
    record.steps = steps.map { StepRecord($0) }
    record.earlierSteps = earlier
    return ScenarioText(record: record, tellsEveryStep: true).course
      .map { String($0.dropFirst(2)) }.joined(separator: "\n")
  }

  private static func lines(_ value: Value, indent: String) -> [String] {
    let whole = value.text(limit: .max)
    if whole.utf8.count <= 60 { return [indent + whole] }
    let inner = indent + "  "
    func block(_ entries: [(String, Value)], _ word: String = "") -> [String] {
      [indent + word + "{"]
        + entries.flatMap { key, value in
          var lines = lines(value, indent: inner)
          lines[0] = inner + key + lines[0].dropFirst(inner.count)
          lines[lines.count - 1] += ","
          return lines
        } + [indent + "}"]
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
