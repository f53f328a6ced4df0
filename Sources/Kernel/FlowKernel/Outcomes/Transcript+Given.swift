import LuaRuntime

extension Transcript {
  /// A part of the initial situation that a prompt has set before the first action, as scenarios do.
  public enum Given: Sendable, Hashable {
    /// A part of the state, machines included.
    case state(Value)
    /// The options that a gatekeeper holds; `held` for one that has no options.
    case gatekeeper(String, options: [String])
    /// The results of the next random draws.
    case random([Value])
    /// The time at which the case was created, in the format of RFC 3339.
    case born(String)
  }
}

extension Transcript.Given {
  var size: Int {
    switch self {
    case .state(let part): part.size
    case .gatekeeper(let name, let options):
      options.reduce(name.utf8.count) { $0 + 16 + $1.utf8.count }
    case .random(let draws): 16 * draws.count
    case .born(let time): time.utf8.count
    }
  }

  /// The fields of its line in a transcript.
  var value: Value {
    switch self {
    case .state(let part): ["given": part]
    case .gatekeeper(let name, let options):
      ["given_gatekeeper": .string(name), "options": .list(options.map(Value.string))]
    case .random(let draws): ["given_random": .list(draws)]
    case .born(let time): ["given_born": .string(time)]
    }
  }

  /// Reads the fields of a line; nil if it gives nothing.
  init?(_ fields: OutsideFields) throws(OutsideFields.Malformed) {
    if let part = fields.value["given"] {
      self = .state(part)
    } else if let name = try fields.text("given_gatekeeper") {
      let options = fields.value["options"]?.listValue ?? []
      self = .gatekeeper(name, options: options.compactMap(\.stringValue))
    } else if let draws = fields.value["given_random"]?.listValue {
      self = .random(draws)
    } else if let time = try fields.text("given_born") {
      self = .born(time)
    } else {
      return nil
    }
  }
}
