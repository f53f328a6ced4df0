/// The renames of actions by several migrations, each of which renames the result of the previous one.
package struct ActionNames {
  private var steps: [[String: String]] = []

  package init(_ steps: [Migration] = []) {
    self.steps = steps.map(\.actions).filter { !$0.isEmpty }
  }

  package var isEmpty: Bool { steps.isEmpty }

  package subscript(name: String) -> String { steps.reduce(name) { $1[$0] ?? $0 } }

  /// Adds the renames of a later migration.
  package mutating func add(_ later: ActionNames) { steps += later.steps }
}
