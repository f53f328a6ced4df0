/// A search for the name that was meant by a name that does not exist.
enum NearestName {
  /// Returns the candidate that differs least from `name`, by a third of the longer name at most; nil if there is none.
  ///
  /// Of several equally near candidates it returns the one that sorts first.
  static func to(_ name: String, among candidates: [String]) -> String? {
    let near = candidates.map { (distance(name, $0), $0) }
      .filter { $0.0 <= max(name.count, $0.1.count) / 3 }
    return near.min { $0 < $1 }?.1
  }

  /// Returns the edit distance: the letters to add, remove, change or swap with their neighbour.
  static func distance(_ one: String, _ other: String) -> Int {
    let one = Array(one)
    let other = Array(other)
    if one.isEmpty || other.isEmpty { return max(one.count, other.count) }
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for i in 1...one.count {
      var row = [i]
      for j in 1...other.count {
        let change = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1)
        var best = min(change, last[j] + 1, row[j - 1] + 1)
        if i > 1, j > 1, one[i - 1] == other[j - 2], one[i - 2] == other[j - 1] {
          best = min(best, beforeLast[j - 2] + 1)
        }
        row.append(best)
      }
      beforeLast = last
      last = row
    }
    return last[other.count]
  }
}
