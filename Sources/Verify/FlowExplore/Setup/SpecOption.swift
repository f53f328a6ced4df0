import FlowKernel
import FlowLanguage
import LuaRuntime
import Scenarios

/// The value of an option in an exploration file, as `explore.lua` reports it.
enum SpecOption {
  case scalar(Value)
  case list([Value])
  case fields([String: Value])
  /// A table with positional and named entries: `{ "failed", error = "x" }`.
  case mixed([Value], [String: Value])
  case map([Int: Value])
  case function(Int)
  /// The constant `none`.
  case nothing
  /// A value that no option can have, with its name in messages.
  case odd(String)

  init(_ told: Value) {
    switch told {
    case .list(let elements): self = .list(elements)
    case .map(let entries): self = .map(entries)
    case .record(let fields):
      if let number = fields["\0function"]?.integerValue {
        self = .function(number)
      } else if let what = fields["\0odd"]?.stringValue {
        self = .odd(what)
      } else if let items = fields["\0items"]?.listValue {
        self = .mixed(items, fields["\0fields"]?.recordValue ?? [:])
      } else {
        self = fields["\0none"] == nil ? .fields(fields) : .nothing
      }
    default: self = .scalar(told)
    }
  }

  /// An error for a value that is not plain data.
  struct NotPlain: Error {
    let what: String
  }

  /// Returns the plain value, for a payload or a state.
  static func plain(_ told: Value) throws(NotPlain) -> Value {
    switch SpecOption(told) {
    case .scalar(let value): return value
    case .nothing: return .nil
    case .list(let elements):
      var values: [Value] = []
      for element in elements { values.append(try plain(element)) }
      return .list(values)
    case .fields(let fields): return .record(try plain(fields))
    case .map(let entries):
      var values: [Int: Value] = [:]
      for (key, entry) in entries { values[key] = try plain(entry) }
      return .map(values)
    case .function: throw NotPlain(what: "a function")
    case .mixed: throw NotPlain(what: "a table with numbered and named entries")
    case .odd(let what): throw NotPlain(what: what)
    }
  }

  static func plain(_ told: [String: Value]) throws(NotPlain) -> [String: Value] {
    var values: [String: Value] = [:]
    for (name, field) in told { values[name] = try plain(field) }
    return values
  }
}

/// The options of an exploration in an exploration file.
struct ExplorationSpec {
  /// A part that is merged into the initial state.
  struct Given: Sendable {
    let part: Value
    let place: SourcePlace
  }

  /// The answers with which an effect may end.
  enum Answers: Sendable {
    case list([ExplorationSetup.Answer])
    /// A function of the state and the effect's payload, which returns the answers.
    case asked(AskedFunction)
  }

  /// The source of the functions.
  struct Source: Sendable {
    let text: String
    let name: String
    let modules: ScenarioModules
  }

  var source: Source?
  /// The payloads of actions; empty for an action that is never dispatched from outside.
  var payloads: [String: [Value]] = [:]
  /// The payload fields that have their default value only.
  var defaulted: [String] = []
  var givens: [Given] = []
  var within: AskedFunction?
  var ends: AskedFunction?
  /// The answers by the titles of effects.
  var answers: [String: Answers] = [:]
  var mostEffects: Int?
  /// The symmetric values.
  var alike: [SymmetryValues] = []
  /// The possible results of `random()`.
  var units: [Double] = []
  var properties: [Property] = []
  /// The passage of time.
  var clock = ExploredClock()
}
