/// The latest transitions, oldest first; the number kept is bounded.
package struct History: Sendable {
  private var kept: [Transition] = []
  private var start = 0
  let limit: Int

  init(limit: Int) { self.limit = max(1, limit) }

  mutating func append(_ transition: Transition) {
    if kept.count < limit {
      kept.append(transition)
    } else {
      kept[start] = transition
      start = (start + 1) % limit
    }
  }

  package var last: Transition? {
    kept.isEmpty ? nil : kept[(start + kept.count - 1) % kept.count]
  }

  package var transitions: [Transition] { Array(kept[start...] + kept[..<start]) }
}
