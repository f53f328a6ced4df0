import FlowKernel
import FlowLanguage
import LuaRuntime
import Scenarios

/// What an option of an exploration file says, as `explore.lua` tells it.
enum SpecOption {
  case scalar(Value)
  case list([Value])
  case fields([String: Value])
  /// A table with entries of both kinds: `{ "failed", error = "x" }`.
  case mixed([Value], [String: Value])
  case map([Int: Value])
  case function(Int)
  /// `none`.
  case nothing
  /// What an option cannot be, as messages call it.
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

  /// Why something is no plain data.
  struct NotPlain: Error {
    let what: String
  }

  /// The value that is meant, for a payload or a state.
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

/// What an exploration file says of an exploration.
struct ExplorationSpec {
  /// A part that is merged into the state to begin with.
  struct Given: Sendable {
    let part: Value
    let place: SourcePlace
  }

  /// What an effect may end with.
  enum Answers: Sendable {
    case list([ExplorationSetup.Answer])
    /// What a function of the state and of the payload says.
    case asked(AskedFunction)
  }

  /// The text whose functions are asked.
  struct Source: Sendable {
    let text: String
    let name: String
    let modules: ScenarioModules
  }

  var source: Source?
  /// Of an action that never comes from outside there are none.
  var payloads: [String: [Value]] = [:]
  /// Fields of these that come with their default alone.
  var defaulted: [String] = []
  var givens: [Given] = []
  var within: AskedFunction?
  var ends: AskedFunction?
  /// By the titles of effects.
  var answers: [String: Answers] = [:]
  var mostEffects: Int?
  /// Values that may be exchanged.
  var alike: [SymmetryValues] = []
  /// What `random()` may give.
  var units: [Double] = []
  var properties: [Property] = []
  /// What time does.
  var clock = ExploredClock()
}
