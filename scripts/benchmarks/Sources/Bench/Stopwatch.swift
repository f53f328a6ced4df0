/// Measures several things in interleaved rounds, so that a busy machine is busy for all of them,
/// and keeps the smallest time of each: what it takes when nothing is in the way.
public enum Stopwatch {
  /// One thing to measure: `body` does it `count` times.
  public struct Candidate {
    let name: String
    let count: Int
    let body: (Int) throws -> Void

    /// Makes a candidate whose body does its work `count` times.
    public init(name: String, count: Int, body: @escaping (Int) throws -> Void) {
      self.name = name
      self.count = count
      self.body = body
    }
  }

  /// The nanoseconds for one time: the least of the rounds, and their mean.
  public struct Times {
    /// The round in which the least was in the way.
    public fileprivate(set) var best = Double.infinity
    /// All rounds, with what was in the way.
    public fileprivate(set) var mean = 0.0
  }

  /// The smallest nanoseconds for one time, by candidate.
  public static func best(of candidates: [Candidate], rounds: Int) throws -> [Double] {
    try times(of: candidates, rounds: rounds).map(\.best)
  }

  /// The nanoseconds for one time, by candidate.
  public static func times(of candidates: [Candidate], rounds: Int) throws -> [Times] {
    var times = [Times](repeating: Times(), count: candidates.count)
    for _ in 0..<rounds {
      for (index, candidate) in candidates.enumerated() {
        let clock = ContinuousClock()
        let begin = clock.now
        try candidate.body(candidate.count)
        let time = nanoseconds(clock.now - begin) / Double(candidate.count)
        times[index].best = min(times[index].best, time)
        times[index].mean += time / Double(rounds)
      }
    }
    return times
  }

  /// A duration in nanoseconds.
  public static func nanoseconds(_ time: Duration) -> Double {
    Double(time.components.seconds) * 1e9 + Double(time.components.attoseconds) / 1e9
  }
}
