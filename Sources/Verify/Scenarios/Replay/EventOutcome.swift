/// What an event of a log came to.
struct EventOutcome: Hashable {
  /// Why it did not pass; nil if it did.
  let why: ReplayDeviation.RejectionReason?
  /// What scripts printed on the way.
  var printed: [String] = []

  static let passed = EventOutcome(why: nil)

  /// About how much memory it takes.
  var size: Int {
    printed.reduce(64 + (why.map { $0.by.utf8.count + $0.reason.utf8.count } ?? 0)) {
      $0 + 16 + $1.utf8.count
    }
  }
}
