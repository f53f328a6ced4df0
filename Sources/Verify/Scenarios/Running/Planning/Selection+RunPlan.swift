import LuaRuntime

extension Selection {
  /// A job for each file, without looking into any of them.
  package var jobs: [RunJob] {
    items.enumerated().map { RunJob(number: $0, item: $1) }
  }
}
