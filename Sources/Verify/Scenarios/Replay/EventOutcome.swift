/// The outcome of an event of a log.
struct EventOutcome: Hashable {
  /// The reason that the event did not pass; nil if it passed.
  let why: ReplayDeviation.RejectionReason?
  /// The lines that scripts printed during the event.
  var printed: [String] = []

  static let passed = EventOutcome(why: nil)

  /// The approximate size in bytes.
  var size: Int {
    printed.reduce(64 + (why.map { $0.by.utf8.count + $0.reason.utf8.count } ?? 0)) {
      $0 + 16 + $1.utf8.count
    }
  }
}
