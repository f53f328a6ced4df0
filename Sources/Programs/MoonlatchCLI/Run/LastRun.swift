import FlowLanguage
import Platform

/// The scenarios that failed in their last run, stored in the current folder as `.moonlatch/failed`.
///
/// The file has a line for each, with its id.
struct LastRun {
  static let folder = ".moonlatch"
  static let path = ".moonlatch/failed"

  /// The ids of the scenarios that failed.
  private(set) var failed: Set<String> = []
  /// True if anything has run here before.
  private(set) var isKnown = false

  /// Reads the file; if there is none, nothing has failed.
  init() {
    guard access(LastRun.path, R_OK) == 0,
      let text = try? TextFile.read(LastRun.path, name: LastRun.path)
    else { return }
    isKnown = true
    failed = Set(text.split(separator: "\n").map(String.init))
  }

  /// Records the results of a run, and stores them if possible; a write error is ignored.
  ///
  /// A scenario that ran several times has failed if one of its runs has.
  mutating func keep(ran: [String], failed new: Set<String>) {
    if isKnown && failed.isEmpty && new.isEmpty { return }
    // A name of several lines cannot be stored on one.
    let now = failed.subtracting(ran).union(new.filter { !$0.contains("\n") })
    if isKnown && now == failed { return }
    failed = now
    write(now.sorted().map { $0 + "\n" }.joined())
  }

  private func write(_ text: String) {
    mkdir(LastRun.folder, 0o755)
    // A symbolic link might lead anywhere.
    var status = stat()
    guard lstat(LastRun.folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    try? OutputFile.write(text, to: LastRun.path) { _ in true }
  }
}
