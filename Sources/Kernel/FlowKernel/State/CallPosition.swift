/// The position of a capability's call in its effect, or in a function of it.
package struct CallPosition {
  /// The counters of an attempt of a retry, or of the code outside of all attempts.
  private struct Place {
    var path = ""
    var calls = 0
    var retries = 0
    var gatherings = 0
    /// The number of the attempt, from 1 on; 0 outside of an attempt.
    var attempt = 0
    /// True if the attempt has failed and the next one has not begun.
    var hasFailed = false

    func within(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
  }

  private var own = Place()
  /// The attempts under way, the innermost last.
  private var attempts: [Place] = []

  package init() {}

  /// Creates the positions of a function that runs concurrently with others.
  package init(ofFunction number: Int, in path: String) { own.path = "\(path).\(number)" }

  private var place: Place {
    get { attempts.last ?? own }
    set {
      if attempts.isEmpty { own = newValue } else { attempts[attempts.count - 1] = newValue }
    }
  }

  /// Returns the position of the next call.
  ///
  /// It is `2`, or `retry1.2` for the second call in each attempt of the first retry, or `all1.2.1` for the first call
  /// of the second function of the first `all`.
  package mutating func next() -> String {
    place.calls += 1
    return place.within("\(place.calls)")
  }

  /// Returns the position of the functions that begin here concurrently.
  mutating func nextFunctions(isRace: Bool) -> String {
    place.gatherings += 1
    return place.within("\(isRace ? "race" : "all")\(place.gatherings)")
  }

  mutating func beginRetry() {
    place.retries += 1
    attempts.append(Place(path: place.within("retry\(place.retries)")))
  }

  mutating func beginAttempt() {
    if !attempts.isEmpty { place = Place(path: place.path, attempt: place.attempt + 1) }
  }

  mutating func failAttempt() { if !attempts.isEmpty { place.hasFailed = true } }

  /// The numbers of the current attempts, the outermost retry first.
  var attemptNumbers: [Int] { attempts.map(\.attempt) }

  /// The number of the innermost retry's current or latest attempt; 0 outside of any retry.
  package var attempt: Int { place.attempt }

  /// True between an attempt that failed and the next one.
  var isBetweenAttempts: Bool { place.hasFailed }

  mutating func endRetry() { _ = attempts.popLast() }
}
