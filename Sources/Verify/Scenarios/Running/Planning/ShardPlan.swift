import Platform

/// A selection in parts that take about the same time, the same wherever it is worked out.
///
/// The longest are given out first, each to the part that has the least to do. What is not known
/// to take any time is taken to be as long as the middle one of those that are.
package struct ShardPlan: Sendable {
  /// For each part the positions of what belongs to it, in order; none of the parts beyond.
  package let parts: [[Int]]
  /// The same for the same selection and durations, and different for others.
  package let digest: String

  /// Splits what is named into parts.
  ///
  /// - Parameter durations: microseconds by name, from an earlier run.
  package init(_ names: [String], into total: Int, durations: [String: Int]) {
    // Nothing is left for more parts than there are names, and somebody may ask for any number.
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

  /// The most that a part is taken to need: durations come from files of others.
  private static let longest = 1 << 60

  static func digest(_ lines: [String]) -> String {
    SHA256.hexadecimal(of: lines.map { "\($0)\n" }.joined())
  }
}

extension [RunEvent] {
  /// How long each scenario took, the longest of several runs.
  package var durations: [String: Int] {
    var durations: [String: Int] = [:]
    for case .ended(let record) in self {
      durations[record.id] = Swift.max(durations[record.id] ?? 0, record.microseconds)
    }
    return durations
  }
}
