/// The names that actions have since migrations, of which each renames what the one before it has left.
package struct ActionNames {
  private var steps: [[String: String]] = []

  package init(_ steps: [Migration] = []) {
    self.steps = steps.map(\.actions).filter { !$0.isEmpty }
  }

  package var isEmpty: Bool { steps.isEmpty }

  package subscript(name: String) -> String { steps.reduce(name) { $1[$0] ?? $0 } }

  /// Adds the steps of a later migration.
  package mutating func add(_ later: ActionNames) { steps += later.steps }
}
