/// Access to limits by name, for command options and messages between processes.
extension Limits {
  /// The names of all limits, sorted; `seconds` is `processorTime` in whole seconds.
  package static let names = (Array(places.keys) + ["seconds"]).sorted()

  /// The limit of that name; nil if there is none.
  package subscript(name name: String) -> Int? {
    get {
      name == "seconds"
        ? Int(processorTime.components.seconds) : Limits.places[name].map { self[keyPath: $0] }
    }
    set {
      guard let newValue else { return }
      if name == "seconds" { processorTime = .seconds(newValue) }
      if let place = Limits.places[name] { self[keyPath: place] = newValue }
    }
  }

  private static let places: [String: WritableKeyPath<Limits, Int> & Sendable] = [
    "instructionsPerDispatch": \.instructionsPerDispatch,
    "instructionsPerLoad": \.instructionsPerLoad,
    "memory": \.memory, "payload": \.payload, "state": \.state, "nesting": \.nesting,
    "coroutines": \.coroutines, "effects": \.effects, "timers": \.timers, "queue": \.queue,
    "postponed": \.postponed, "tasks": \.tasks,
    "chain": \.chain, "instructionsPerChain": \.instructionsPerChain, "microsteps": \.microsteps,
    "history": \.history, "retained": \.retained,
  ]
}
