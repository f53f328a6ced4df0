import FlowExplore
import Platform
import Scenarios

/// The explorations to run: those of all files, or the part that `--shard` selects.
struct ExplorePlan {
  /// The explorations of one file.
  struct Part {
    let path: String
    /// The numbers of the explorations, counted from 0; nil for all.
    var numbers: Set<Int>?

    /// Returns true if an exploration is among them.
    func has(_ number: Int) -> Bool { numbers?.contains(number) ?? true }
  }

  let parts: [Part]
  /// The message about the part; nil if all is explored.
  let line: String?

  /// Creates the plan for files.
  ///
  /// - Parameter shard: the argument of `--shard`.
  init(_ paths: [String], _ shard: String?) throws {
    guard let shard = try shard.map(Shard.init(option:)) else {
      parts = paths.map { Part(path: $0) }
      line = nil
      return
    }
    // A file that cannot be read is one unit of work: the shard that gets it reports the error.
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
