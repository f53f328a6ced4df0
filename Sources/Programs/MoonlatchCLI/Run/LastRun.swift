import FlowLanguage
import Platform

/// What did not end well when it ran last, kept in the current folder as `.moonlatch/failed`: a line
/// for each, with what names it.
struct LastRun {
  static let folder = ".moonlatch"
  static let path = ".moonlatch/failed"

  /// What did not end well.
  private(set) var failed: Set<String> = []
  /// Whether anything has run here before.
  private(set) var isKnown = false

  /// Reads what was kept; nothing where there is nothing.
  init() {
    guard access(LastRun.path, R_OK) == 0,
      let text = try? TextFile.read(LastRun.path, name: LastRun.path)
    else { return }
    isKnown = true
    failed = Set(text.split(separator: "\n").map(String.init))
  }

  /// Notes what has run now, and keeps it where that is possible: nobody depends on it.
  ///
  /// A scenario that ran several times has failed when one run of it has.
  mutating func keep(ran: [String], failed new: Set<String>) {
    if isKnown && failed.isEmpty && new.isEmpty { return }
    // A name of several lines cannot be kept as one.
    let now = failed.subtracting(ran).union(new.filter { !$0.contains("\n") })
    if isKnown && now == failed { return }
    failed = now
    write(now.sorted().map { $0 + "\n" }.joined())
  }

  private func write(_ text: String) {
    mkdir(LastRun.folder, 0o755)
    // A link might lead anywhere.
    var status = stat()
    guard lstat(LastRun.folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    try? OutputFile.write(text, to: LastRun.path) { _ in true }
  }
}
