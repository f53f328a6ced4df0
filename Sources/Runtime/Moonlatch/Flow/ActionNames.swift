/// The names that actions have since migrations, of which each renames what the one before it has left.
struct ActionNames {
  private var steps: [[String: String]] = []

  init(_ steps: [Migration] = []) {
    self.steps = steps.map(\.actions).filter { !$0.isEmpty }
  }

  var isEmpty: Bool { steps.isEmpty }

  subscript(name: String) -> String { steps.reduce(name) { $1[$0] ?? $0 } }

  /// Adds the steps of a later migration.
  mutating func add(_ later: ActionNames) { steps += later.steps }
}
