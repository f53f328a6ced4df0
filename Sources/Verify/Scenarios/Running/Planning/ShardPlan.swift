import Platform

/// A selection in parts that take about the same time.
///
/// Every machine computes the same parts. The longest scenarios are assigned first, each to the part with the least
/// work so far. A scenario of unknown duration counts as the median of the known ones.
package struct ShardPlan: Sendable {
  /// The positions of the names of each part, in order; there are no more parts than names.
  package let parts: [[Int]]
  /// A digest that is equal for the same selection and durations, and different for others.
  package let digest: String

  /// Splits the names into parts.
  ///
  /// - Parameter durations: the durations in microseconds by name, from an earlier run.
  package init(_ names: [String], into total: Int, durations: [String: Int]) {
    // There is nothing for more parts than there are names, and the total may be any number.
    let total = max(1, min(total, names.count))
    let known = names.compactMap { durations[$0] }.sorted()
    let middle = known.isEmpty ? 1 : max(1, known[known.count / 2])
    let weights = names.map { max(1, durations[$0] ?? middle) }
    let order = names.indices.sorted { a, b in
      (-weights[a], names[a], a) < (-weights[b], names[b], b)
    }
    var parts = [[Int]](repeating: [], count: total)
    var loads = [Int](repeating: 0, count: total)
    for position in order {
      let least = loads.indices.min { (loads[$0], $0) < (loads[$1], $1) } ?? 0
      parts[least].append(position)
      loads[least] = min(loads[least] + weights[position], ShardPlan.longest)
    }
    self.parts = parts.map { $0.sorted() }
    digest = ShardPlan.digest(zip(names, weights).map { "\($0) \($1)" }.sorted())
  }

  /// The largest load of a part, in microseconds: durations come from files that others wrote.
  private static let longest = 1 << 60

  static func digest(_ lines: [String]) -> String {
    SHA256.hexadecimal(of: lines.map { "\($0)\n" }.joined())
  }
}

extension [RunEvent] {
  /// The duration of each scenario in microseconds, the longest if it ran several times.
  package var durations: [String: Int] {
    var durations: [String: Int] = [:]
    for case .ended(let record) in self {
      durations[record.id] = Swift.max(durations[record.id] ?? 0, record.microseconds)
    }
    return durations
  }
}
