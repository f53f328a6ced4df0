/// The position of a capability's call in its effect, or in a function of it.
package struct CallPosition {
  /// An attempt of a retry, or what stands around all of them.
  private struct Place {
    var path = ""
    var calls = 0
    var retries = 0
    var gatherings = 0
    /// Which attempt it is, from 1 on; 0 for what stands around all of them.
    var attempt = 0
    /// True if it has failed, and the next one is to come.
    var hasFailed = false

    func within(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
  }

  private var own = Place()
  /// The attempts under way, the innermost last.
  private var attempts: [Place] = []

  package init() {}

  /// The positions of a function that runs side by side with others.
  package init(ofFunction number: Int, in path: String) { own.path = "\(path).\(number)" }

  private var place: Place {
    get { attempts.last ?? own }
    set {
      if attempts.isEmpty { own = newValue } else { attempts[attempts.count - 1] = newValue }
    }
  }

  /// The next call's: `2`, or `retry1.2` for the second in each attempt of the first retry, or `all1.2.1` for the
  /// first one of the second function of the first `all`.
  package mutating func next() -> String {
    place.calls += 1
    return place.within("\(place.calls)")
  }

  /// Returns the position of functions that begin here side by side.
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

  /// Which attempt of the innermost retry is under way, or was last; 0 outside of any.
  package var attempt: Int { place.attempt }

  /// True between an attempt that failed and the next one.
  var isBetweenAttempts: Bool { place.hasFailed }

  mutating func endRetry() { _ = attempts.popLast() }
}
