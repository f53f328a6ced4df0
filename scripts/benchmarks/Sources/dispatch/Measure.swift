/// A piece of work whose rounds alternate with those of the others, so that whatever else the
/// machine does meets all of them alike.
struct Subject {
  let name: String
  let round: () throws -> Void
  var times: [Double] = []

  init(_ name: String, round: @escaping () throws -> Void) {
    self.name = name
    self.round = round
  }

  /// Nanoseconds for one dispatch in the best round: what the work costs when nothing disturbs it.
  var least: Double { times.min() ?? .nan }
  /// Nanoseconds for one dispatch over all rounds, the garbage collector's share included.
  var mean: Double { times.reduce(0, +) / Double(times.count) }
}

/// Runs every subject `rounds` times in turn, after a few rounds that do not count.
func measure(_ subjects: inout [Subject], rounds: Int, perRound: Int) throws {
  let clock = ContinuousClock()
  let warmUp = 3
  for round in 0..<rounds + warmUp {
    for index in subjects.indices {
      let time = try clock.measure { try subjects[index].round() }
      guard round >= warmUp else { continue }
      subjects[index].times.append(Double(time.components.attoseconds) / 1e9 / Double(perRound))
    }
  }
}
