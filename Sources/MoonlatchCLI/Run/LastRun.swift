import Moonlatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How each scenario ended when it ran last, kept in the current folder as `.moonlatch/last-run`.
///
/// A line for each: `+` or `-`, its microseconds, and what names it.
struct LastRun {
  struct Outcome: Equatable {
    let id: String
    let isWell: Bool
    let microseconds: Int
  }

  static let folder = ".moonlatch"
  static let path = ".moonlatch/last-run"

  private(set) var outcomes: [String: Outcome] = [:]

  /// Whether anything is known.
  var isEmpty: Bool { outcomes.isEmpty }

  /// What did not end well.
  var failed: Set<String> { Set(outcomes.values.filter { !$0.isWell }.map(\.id)) }

  init() {}

  /// Reads what was kept; nothing where there is nothing.
  static func load() -> LastRun {
    var last = LastRun()
    guard access(path, R_OK) == 0, let text = try? TextFile.read(URL(filePath: path), name: path)
    else { return last }
    for line in text.split(separator: "\n") {
      let parts = line.dropFirst(2).split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let microseconds = Int(parts[0]) else { continue }
      last.add(
        Outcome(id: String(parts[1]), isWell: line.hasPrefix("+"), microseconds: microseconds))
    }
    return last
  }

  /// A name on one line.
  private mutating func add(_ outcome: Outcome) { outcomes[outcome.id] = outcome }

  /// Adds what has run now, and writes it all where that is possible: nobody depends on it.
  mutating func keep(_ new: [Outcome]) {
    let ran = Set(new.map(\.id))
    // A scenario that ran several times has failed when one run of it has.
    for id in ran { outcomes[id] = nil }
    for outcome in new where outcomes[outcome.id]?.isWell != false { add(outcome) }
    var text = ""
    for id in outcomes.keys.sorted() where !id.contains("\n") {
      guard let outcome = outcomes[id] else { continue }
      text += "\(outcome.isWell ? "+" : "-") \(outcome.microseconds) \(id)\n"
    }
    mkdir(LastRun.folder, 0o755)
    let new = "\(LastRun.path).\(getpid())"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return }
    let isWritten = Terminal.write(text, to: descriptor)
    close(descriptor)
    if isWritten { rename(new, LastRun.path) } else { unlink(new) }
  }
}
