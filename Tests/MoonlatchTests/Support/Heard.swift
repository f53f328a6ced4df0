import Platform

/// Lines from anywhere, for which a test can wait.
final class Heard: Sendable {
  private struct State {
    var lines: [String] = []
    var watchers: [(count: Int, go: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())
  var all: [String] { state.withLock { $0.lines } }

  func add(_ line: String) {
    let go = state.withLock { state in
      state.lines.append(line)
      let count = state.lines.count
      defer { state.watchers.removeAll { $0.count <= count } }
      return state.watchers.filter { $0.count <= count }
    }
    for watcher in go { watcher.go.resume() }
  }

  /// Waits until there are so many, and gives them.
  func lines(_ count: Int) async -> [String] {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.lines.count < count { state.watchers.append((count, continuation)) }
        return state.lines.count >= count
      }
      if isThere { continuation.resume() }
    }
    return all
  }

  /// Waits until there is such a line.
  func lines(where isIt: (String) -> Bool) async {
    var found = await lines(0)
    while !found.contains(where: isIt) { found = await lines(found.count + 1) }
  }
}
