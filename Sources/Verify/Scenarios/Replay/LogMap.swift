import FlowLanguage
import LuaRuntime
import Platform

/// A Lua function, returned by a file, that maps a row of a log to an action of the flow.
///
/// ```lua
/// return function(row)
///   if row.lifecycle ~= "complete" then return nil, "not complete" end
///   return "coin", { amount = math.tointeger(row.cents) // 100 }
/// end
/// ```
///
/// A row of CSV is a table of its cells by the names of their columns, all of them strings, also the empty ones. A JSON
/// line is its fields as they are. The function returns an action's name and a payload, or the name alone if the
/// columns are the payload, or nil and a reason for a row to leave out.
package final class LogMap {
  private static let prelude = Prelude(
    Prelude.Chunk(text: PackageResources.log_map_lua, code: PackageResources.log_map_luac))

  /// The answer of the function for a row.
  enum Answer: Equatable {
    case event(action: String, payload: Value)
    /// The action has this name, and the payload comes from the columns.
    case named(String)
    case skipped(String)
    case malformed(String)
  }

  private let script: ScriptFile
  private let function: LuaReference
  private let limits: Limits

  /// Runs the file.
  ///
  /// - Throws: `FlowError` or `ScriptError` if the file cannot be loaded; `LogError` if it does not return a function.
  package init(
    _ file: URL, limits: Limits = Limits(), print: @escaping @Sendable (String) -> Void
  ) throws {
    script = try ScriptFile(file, limits: limits, log: ScriptLog(print))
    self.limits = limits
    for (name, what) in [("now", "clock"), ("may", "flow")] {
      try script.vm.provide(name) { _ in throw NothingToAsk(what: what) }
    }
    try LogMap.prelude.run(in: script.vm, phase: .loading, budget: limits.instructionsPerLoad)
    function = try script.vm.preludeFunction("map_row")
    let kind = try script.vm.call(
      script.vm.preludeFunction("map_file"), [.integer(Int(script.chunk.number))],
      phase: .loading, budget: limits.instructionsPerLoad
    ).first?.stringValue
    if let kind {
      throw LogError(
        description:
          "\(script.name) returns \(LogMap.name(kind)); it must return the function that maps "
          + "rows: return function(row) ... end")
    }
  }

  private struct NothingToAsk: Error, CustomStringConvertible {
    let what: String
    var description: String { "a row has no \(what) to ask" }
  }

  /// Calls the function with a row.
  ///
  /// - Parameter doubled: the names that several columns have, each with true.
  func answer(_ row: Value, isCSV: Bool, doubled: [String: Value] = [:]) -> Answer {
    do throws(ScriptError) {
      let answer = try script.vm.call(
        function, [row, .boolean(isCSV), .record(doubled)], phase: .script,
        budget: limits.instructionsPerDispatch)
      return LogMap.read(answer, script.name)
    } catch {
      return .malformed(error.summary)
    }
  }

  private static func read(_ answer: [Value], _ file: String) -> Answer {
    let text = answer.count > 1 ? answer[1].stringValue ?? "" : ""
    switch answer.first?.stringValue {
    case "event": return .event(action: text, payload: answer.count > 2 ? answer[2] : [:])
    case "named": return .named(text)
    case "skipped": return .skipped(text.isEmpty ? "no reason given" : text)
    case "reason":
      return .malformed("\(file) returns \(name(text)) as the reason; it must be a string")
    case "payload":
      return .malformed("\(file) returns \(name(text)) as the payload; it must be a table")
    default: return .malformed("\(file) returns \(name(text)) as the action; it must be a name")
    }
  }

  /// Returns the words for a Lua type in a sentence.
  private static func name(_ type: String) -> String {
    switch type {
    case "nil": "nothing"
    case "string": "an empty string"
    default: "a \(type)"
    }
  }
}
