import FlowLanguage
import LuaRuntime

/// The state as a native gate rule sees it: it can be read, not written.
///
/// It is lent for one call: it throws if it is used after the rule or reducer has returned.
public class StateReader {
  /// The engine whose state this is; nil once the call is over.
  fileprivate(set) var engine: Engine?
  /// The title of the rule or reducer that is called, for the error of a use after its return.
  private let title: String
  /// The first limit that was reached during the call; the rule or reducer cannot hide it.
  fileprivate(set) var limit: ScriptError?

  package init(_ engine: Engine, title: String) { (self.engine, self.title) = (engine, title) }

  /// Returns the value at a place; `.nil` if there is none.
  ///
  /// - Throws: `ScriptError` for a place that the state cannot have.
  public func value(at path: StatePath) throws(ScriptError) -> Value {
    try call("read_at", [path.value], .rule).first ?? .nil
  }

  /// Returns the value at a place as a Swift type.
  ///
  /// - Throws: `ScriptError` for a place that the state cannot have, and for a value that is not of that type.
  @_disfavoredOverload
  public func value<Element: Decodable>(
    at path: StatePath, as type: Element.Type = Element.self
  ) throws(ScriptError) -> Element {
    let value = try value(at: path)
    do {
      return try ValueDecoder.decode(type, from: value)
    } catch {
      throw ScriptError(
        kind: .runtime,
        message: "\(path) is not of type \(type): \(CodingSentence.describe(error))")
    }
  }

  /// The time at which the action was taken from the queue, in seconds.
  ///
  /// - Throws: `ScriptError` after the call.
  public var now: Double {
    get throws(ScriptError) { EngineTime.seconds(try clock()) }
  }

  /// The time at which the action was taken from the queue, since the host began.
  ///
  /// - Throws: `ScriptError` after the call.
  public var elapsed: Duration {
    get throws(ScriptError) { .microseconds(try clock()) }
  }

  /// Returns the engine's time, and records that the clock was read.
  private func clock() throws(ScriptError) -> Int {
    let engine = try reach()
    engine.hasReadClock = true
    return engine.time
  }

  /// Returns the engine; throws once the call is over.
  package final func reach() throws(ScriptError) -> Engine {
    guard let engine else {
      throw ScriptError(
        kind: .runtime, message: "the state is out of reach: \(title) has returned")
    }
    return engine
  }

  @discardableResult
  package final func call(_ name: String, _ arguments: [Value], _ phase: Phase) throws(ScriptError)
    -> [Value]
  {
    let engine = try reach()
    do throws(ScriptError) {
      return try engine.vm.call(
        FlowPreludes.function(name, in: engine.vm), arguments, phase: phase, budget: engine.budget)
    } catch {
      if error.kind == .limit || error.kind == .memory { limit = limit ?? error }
      throw error
    }
  }

  /// Ends the call.
  package final func end() { engine = nil }
}

/// The state as a native reducer sees it: it can be read and written.
///
/// Writes are checked as a script's writes are: a field that the state does not declare, a machine's field, or a hole
/// in a list throws.
public final class StateWriter: StateReader {
  /// Sets the value at a place; `.nil` removes a field of a map, or empties a field declared `none`.
  ///
  /// - Throws: `ScriptError` for a place or a value that the state cannot have.
  public func set(_ path: StatePath, to value: Value) throws(ScriptError) {
    try call("set_at", [path.value, value], .reducer)
  }

  /// Sets the value at a place to a value of a Swift type.
  ///
  /// - Throws: `ScriptError` for a place or a value that the state cannot have.
  @_disfavoredOverload
  public func set(_ path: StatePath, to value: some Encodable) throws(ScriptError) {
    try set(path, to: encoded(value, for: path))
  }

  /// Adds an element at the end of a list.
  ///
  /// - Throws: `ScriptError` if there is no list at the place, or for a value that it cannot hold.
  public func append(_ value: Value, to path: StatePath) throws(ScriptError) {
    try call("append_at", [path.value, value], .reducer)
  }

  /// Adds an element of a Swift type at the end of a list.
  ///
  /// - Throws: `ScriptError` if there is no list at the place, or for a value that it cannot hold.
  @_disfavoredOverload
  public func append(_ value: some Encodable, to path: StatePath) throws(ScriptError) {
    try append(encoded(value, for: path), to: path)
  }

  /// Inserts an element into a list, at the index that the path ends with; later elements move up.
  ///
  /// - Throws: `ScriptError` if there is no such place, or for a value that the list cannot hold.
  public func insert(_ value: Value, at path: StatePath) throws(ScriptError) {
    try call("insert_at", [path.value, value], .reducer)
  }

  /// Removes an element from a list, so that later elements move down, or empties a field.
  ///
  /// - Returns: the removed value.
  /// - Throws: `ScriptError` if there is no such place, or if its field must have a value.
  @discardableResult
  public func remove(at path: StatePath) throws(ScriptError) -> Value {
    try call("remove_at", [path.value], .reducer).first ?? .nil
  }

  /// Returns a random number from 0 up to, but not including, 1, as `random()` in a script does.
  ///
  /// - Throws: `ScriptError` after the call.
  public func random() throws(ScriptError) -> Double { try reach().drawUnit(inEffect: false) }

  /// Returns a random integer of a range, as `random(low, high)` in a script does.
  ///
  /// - Throws: `ScriptError` after the call.
  public func random(in range: ClosedRange<Int>) throws(ScriptError) -> Int {
    try reach().drawInteger(range.lowerBound, range.upperBound, inEffect: false)
  }

  private func encoded(_ value: some Encodable, for path: StatePath) throws(ScriptError) -> Value {
    do {
      return try ValueEncoder.encode(value)
    } catch {
      throw ScriptError(
        kind: .runtime,
        message: "\(path): the value cannot be encoded: \(CodingSentence.describe(error))")
    }
  }
}

extension StatePath {
  fileprivate var value: Value { .list(keys.map(\.value)) }
}
