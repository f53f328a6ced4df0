import Bench

/// The counter, the machine and the toggle by hand in Swift: a struct for the state, an enum for the actions.
enum SwiftFlows {
  private struct Refused: Error {
    let reason: String
  }

  private struct Counter: Equatable {
    var count = 0
  }

  private enum CounterAction {
    case increment
  }

  private enum Side {
    case left, right
  }

  private struct Machine: Equatable {
    var side = Side.left
    var count = 0
  }

  private enum MachineAction {
    case flip
  }

  private struct Record: Equatable {
    var title: String
    var done: Bool
    var rank: Int
  }

  private struct Records: Equatable {
    var items: [Record]
  }

  private enum RecordsAction {
    case toggle(Int)
  }

  static func counter() throws -> Stopwatch.Candidate {
    let store = SwiftStore<Counter, CounterAction>(Counter()) { state, action in
      switch action {
      case .increment:
        guard state.count >= 0 else { throw Refused(reason: "the count is negative") }
        state.count += 1
      }
    }
    return try candidate(store, [.increment]) { $0.count == $1 }
  }

  static func machine() throws -> Stopwatch.Candidate {
    let store = SwiftStore<Machine, MachineAction>(Machine()) { state, action in
      switch (state.side, action) {
      case (.left, .flip):
        guard state.count >= 0 else { throw Refused(reason: "the count is negative") }
        state.side = .right
      case (.right, .flip):
        guard state.count >= 0 else { throw Refused(reason: "the count is negative") }
        state.side = .left
      }
      state.count += 1
    }
    return try candidate(store, [.flip]) { $0.count == $1 }
  }

  /// Toggles ten of 1,000 records in turn, as the flow does.
  static func toggle() throws -> Stopwatch.Candidate {
    let records = Records(
      items: (1...1_000).map { Record(title: "item \($0)", done: false, rank: $0) })
    let store = SwiftStore<Records, RecordsAction>(records) { state, action in
      switch action {
      case .toggle(let index):
        guard state.items.indices.contains(index) else {
          throw Refused(reason: "there is no such item")
        }
        state.items[index].done.toggle()
      }
    }
    return try candidate(store, (0..<10).map { RecordsAction.toggle($0 * 100) }) { state, _ in
      state.items.count == 1_000
    }
  }

  /// Dispatches actions in turn, once it is known that undo restores the state.
  ///
  /// - Parameter isRight: true if a state is what so many actions lead to.
  private static func candidate<State: Equatable, Action>(
    _ store: SwiftStore<State, Action>, _ actions: [Action],
    _ isRight: @escaping (State, Int) -> Bool
  ) throws -> Stopwatch.Candidate {
    let first = store.state
    try store.dispatch(actions[0])
    try WrongResult.unless(
      store.state != first && store.undo() && store.state == first,
      "undo does not restore the state of the Swift store")
    return .init(name: "Swift", count: Dispatching.perRound) { count in
      let before = store.revision
      for i in 0..<count { try store.dispatch(actions[i % actions.count]) }
      try WrongResult.unless(
        store.revision == before + count && isRight(store.state, store.revision),
        "the Swift store has not done its work")
    }
  }
}
