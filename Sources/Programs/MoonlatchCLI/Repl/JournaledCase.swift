import FlowHosting
import FlowJournal
import FlowKernel
import Platform
import SharedCommands

/// The case in a journal that the prompt plays.
struct JournaledCase {
  let file: String
  let id: String
  let store: SQLiteJournal
  private let summary: CaseSummary?

  /// Opens the journal.
  ///
  /// - Throws: `JournalError` if it cannot be opened, or the case has ended.
  init(file: String, id: String) throws(JournalError) {
    (self.file, self.id) = (file, id)
    store = try SQLiteJournal(file: URL(filePath: file))
    summary = try store.summary(of: id)
    if let ended = summary?.ended {
      throw JournalError(
        .endedCase,
        "case \(id) of \(file) has ended, \(WallTime.text(ended)): \"moonlatch journal show \(file) --case \(id)\" "
          + "shows what happened in it")
    }
  }

  /// The lines that say where the case resumes.
  var opening: [String] {
    let name = "case \(id.visibleLine) of \(file.visibleLine)"
    let level =
      switch store.durability {
      case .full: "results survive a power cut"
      case .process: "results survive a crash of the process, not a power cut"
      }
    guard let summary else { return ["\(name) is created; \(level)"] }
    return [
      "\(name) resumes at #\(summary.revision), last written \(WallTime.text(summary.wall)); \(level)",
      "(:undo, :goto, :history and :diff reach back to #\(summary.revision), not into the journal: "
        + ":why #N and \"moonlatch journal show\" do)",
    ]
  }
}
