import FlowExplore
import Platform
import Scenarios

/// Which explorations of which files are gone through: all, or the part that `--shard` says.
struct ExplorePlan {
  /// What is explored of a file.
  struct Part {
    let path: String
    /// The explorations, counted from 0; nil: all that there are.
    var numbers: Set<Int>?

    /// Whether an exploration is among them.
    func has(_ number: Int) -> Bool { numbers?.contains(number) ?? true }
  }

  let parts: [Part]
  /// What is told of the part; nil where all is explored.
  let line: String?

  /// - Parameter shard: what `--shard` says.
  init(_ paths: [String], _ shard: String?) throws {
    guard let shard = try shard.map(Shard.init(option:)) else {
      parts = paths.map { Part(path: $0) }
      line = nil
      return
    }
    // A file that cannot be read is one thing to do: whoever gets it says what is wrong.
    let units = paths.flatMap { path in
      let names =
        path.hasSuffix(ExplorationFile.suffix)
        ? (try? ExplorationFile(URL(filePath: path), name: path))?.names : nil
      guard let names else { return [(id: path, path: path, number: Int?.none)] }
      return names.enumerated().map { number, name in
        (id: "\(path): \(name)", path: path, number: number)
      }
    }
    let plan = ShardPlan(units.map(\.id), into: shard.total, durations: [:])
    let own = plan.parts.indices.contains(shard.index - 1) ? plan.parts[shard.index - 1] : []
    var parts: [Part] = []
    for unit in own.map({ units[$0] }) {
      if let number = unit.number, parts.last?.path == unit.path, parts.last?.numbers != nil {
        parts[parts.count - 1].numbers?.insert(number)
      } else {
        parts.append(Part(path: unit.path, numbers: unit.number.map { [$0] }))
      }
    }
    self.parts = parts
    line = shard.line(planned: own.count, of: units.count)
  }
}
