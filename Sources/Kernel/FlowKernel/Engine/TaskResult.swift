import LuaRuntime

/// A result that somebody gives to the call of a capability, once it is checked.
package enum TaskResult: Sendable, Hashable {
  /// The value that the effect gets: the result, with the defaults of its type.
  case fits(Value)
  /// The result can be stored, but is not of the capability's type, for these reasons.
  case misfit([String])
  /// The result cannot be stored, because a list contains null at this place.
  case nullInList(String)
  /// The result is larger than 1 MiB as JSON.
  case tooLarge

  /// The greatest size of a result as JSON without blanks, in bytes.
  private static let largest = 1 << 20

  /// Checks a result.
  ///
  /// - Parameters:
  ///   - faults: returns what is wrong with a result that can be stored, each as a sentence.
  ///   - filled: returns a result without faults, with the defaults of its type.
  package init(_ value: Value, faults: (Value) -> [String], filled: (Value) -> Value) {
    if let place = value.nullInList(at: "result") {
      self = .nullInList(place)
    } else if JSONText.text(value).utf8.count > TaskResult.largest {
      self = .tooLarge
    } else {
      let found = faults(value)
      self = found.isEmpty ? .fits(filled(value)) : .misfit(found)
    }
  }

  /// Checks the result of a capability; nil for one that nobody provides any more, whose result may be any value.
  package init(_ value: Value, of capability: TaskCapability?) {
    self.init(
      value, faults: capability?.faults ?? { _ in [] }, filled: capability?.filled ?? { $0 })
  }

  /// The sentence that says why the effect does not get the result; nil if it does.
  package var fault: String? {
    switch self {
    case .fits: nil
    case .misfit(let faults): faults.joined(separator: "; ")
    case .nullInList(let place): "\(place) is null: a list cannot contain null"
    case .tooLarge: "a result has 1 MiB at most"
    }
  }
}
