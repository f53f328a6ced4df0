import FlowLanguage
import LuaRuntime

/// The settings of luacheck for the language of flows and the names that flows declare.
enum LuacheckStandard {
  /// Returns the text of `.luacheckrc`.
  static func text(_ flows: [Flow]) -> String {
    let actions = fields(\.actionNames, flows)
    let lines = written.map { "    \($0) = { fields = \(actions) }," }
    let open = openWords.map { "    \($0) = { other_fields = true }," }
    let read = read(flows).map { "    \($0.word) = { fields = \($0.fields) }," }
    return """
      \(EditorFiles.mark), which overwrites it each time as long as it has this line.
      stds.moonlatch = {
        globals = {
      \((lines + open).joined(separator: "\n"))
        },
        read_globals = {
      \(read.joined(separator: "\n"))
          \(plainWords.map { "\"\($0)\"" }.joined(separator: ", ")),
        },
      }
      std = "lua54+moonlatch"
      not_globals = { \(absent.map { "\"\($0)\"" }.joined(separator: ", ")) }
      exclude_files = { ".moonlatch" }
      unused_args = false
      ignore = { "532" }  -- s.a, s.b = nil clears both
      max_line_length = false

      """
  }

  /// The words whose fields a flow sets, which must be declared actions.
  private static let written = ["reduce", "gate", "effect"]

  /// The words whose fields are declarations themselves.
  private static let openWords = [
    "finish", "given", "hooks", "invariant", "migrate", "notify", "stub", "view",
  ]

  private static let plainWords = [
    "action", "advance", "after", "after_each", "all", "all_in", "always", "any", "as",
    "before_each", "boolean", "born", "by", "cancel", "command", "contains", "count_in", "env",
    "eventually", "explore", "fail", "file", "flow", "flow_name", "http", "in_state", "integer",
    "internal", "leads_to", "list", "list_of", "machine", "map", "map_of", "match", "near",
    "never", "none", "now", "number", "one_of", "optional", "provide", "race", "random",
    "restart", "retry", "revised", "scenario", "scope", "settle", "sleep", "sometimes", "state",
    "step", "version", "worker",
  ]

  /// The parts of Lua that a flow does not have.
  private static let absent = [
    "io", "os", "debug", "package", "load", "loadfile", "dofile", "collectgarbage", "rawset",
    "rawget", "rawlen",
  ]

  private static func read(_ flows: [Flow]) -> [(word: String, fields: String)] {
    let actions = fields(\.actionNames, flows)
    let gatekeepers = fields(
      { $0.gatekeepers.map(\.name) }, flows, inside: "fields = { may_pass = {}, holder = {} }")
    let expected = [
      ("view", fields({ $0.views.map(\.function.name) }, flows)),
      ("machine", fields({ $0.machines.map(\.name) }, flows)),
      ("gatekeeper", fields({ $0.gatekeepers.map(\.name) }, flows)),
      ("scope", fields({ $0.scopes.map(\.name) }, flows)), ("refused", actions),
      (
        "fault",
        fields({ $0.effects.map(\.function.name) + $0.stateEffects.compactMap(\.state) }, flows)
      ),
    ].map { "\($0) = { fields = \($1) }" }
    return ["dispatch", "inside", "may", "pass", "refuse"].map { ($0, actions) } + [
      ("date", "{ add_months = {} }"),
      (
        "table",
        "{ "
          + (LibraryWords.libraries["table"] ?? []).sorted().map { "\($0) = {}" }
          .joined(separator: ", ") + " }"
      ),
      ("gatekeeper", gatekeepers),
      (
        "expect",
        "{ state = {}, change = {}, equal = {}, snapshot = {}, migrates = {}, effects = { fields = { none = {} } }, "
          + expected.joined(separator: ", ") + " }"
      ),
    ]
  }

  private static func fields(
    _ names: (Flow) -> [String], _ flows: [Flow], inside: String = ""
  ) -> String {
    let all = Set(flows.flatMap(names)).sorted()
    if all.isEmpty { return "{}" }
    return "{ " + all.map { "\(Value.key($0)) = { \(inside) }" }.joined(separator: ", ") + " }"
  }
}
