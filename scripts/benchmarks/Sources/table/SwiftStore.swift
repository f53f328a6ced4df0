/// A store by hand in Swift, as a program has it that needs no scripts.
///
/// A dispatch changes a copy of the state, which replaces the state unless the reducer throws. The last 1,000 states
/// are stored for undo. There is no lock: it belongs to one thread.
final class SwiftStore<State, Action> {
  private let limit = 1_000
  private(set) var state: State
  private(set) var revision = 0
  private var history: [State] = []
  /// The place of the next state in the history, which is a ring once it is full.
  private var next = 0
  private var undoable = 0
  private let reduce: (inout State, Action) throws -> Void

  init(_ state: State, reduce: @escaping (inout State, Action) throws -> Void) {
    (self.state, self.reduce) = (state, reduce)
  }

  func dispatch(_ action: Action) throws {
    var copy = state
    try reduce(&copy, action)
    if history.count < limit { history.append(state) } else { history[next] = state }
    next = (next + 1) % limit
    undoable = min(undoable + 1, limit)
    state = copy
    revision += 1
  }

  /// Goes back to the state before the last action; false if the history does not have it.
  func undo() -> Bool {
    guard undoable > 0 else { return false }
    next = (next + limit - 1) % limit
    state = history[next]
    undoable -= 1
    revision -= 1
    return true
  }
}
