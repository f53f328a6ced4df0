/// Limits by their names, for what is said in texts: options of a command, messages between processes.
extension Limits {
  /// The names of all limits that are whole numbers, in order; `seconds` besides is taken in whole ones.
  package static let names = (Array(places.keys) + ["seconds"]).sorted()

  /// A limit by its name; nil for a name that no limit has.
  package subscript(name name: String) -> Int? {
    get {
      name == "seconds" ? Int(seconds) : Limits.places[name].map { self[keyPath: $0] }
    }
    set {
      guard let newValue else { return }
      if name == "seconds" { seconds = Double(newValue) }
      if let place = Limits.places[name] { self[keyPath: place] = newValue }
    }
  }

  private static let places: [String: WritableKeyPath<Limits, Int> & Sendable] = [
    "instructionsPerDispatch": \.instructionsPerDispatch,
    "instructionsPerLoad": \.instructionsPerLoad,
    "memory": \.memory, "payload": \.payload, "state": \.state, "nesting": \.nesting,
    "coroutines": \.coroutines, "effects": \.effects, "timers": \.timers, "queue": \.queue,
    "postponed": \.postponed,
    "chain": \.chain, "instructionsPerChain": \.instructionsPerChain, "microsteps": \.microsteps,
    "history": \.history, "retained": \.retained,
  ]
}
