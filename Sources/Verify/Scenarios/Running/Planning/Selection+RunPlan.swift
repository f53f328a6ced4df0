import LuaRuntime

extension Selection {
  /// The jobs of the selection, one for each file, made without reading any of them.
  package var jobs: [RunJob] {
    items.enumerated().map { RunJob(number: $0, item: $1) }
  }
}
