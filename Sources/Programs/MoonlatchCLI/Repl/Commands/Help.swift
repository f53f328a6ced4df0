import FlowLanguage
import LuaRuntime

/// `:help`: what can be typed, and what a name stands for.
extension Session {
  func help(_ text: String) throws -> String {
    if text.isEmpty { return overview }
    let name =
      ActionText.unquoted(text)?.text ?? (text.hasPrefix(":") ? String(text.dropFirst()) : text)
    if let command = PromptCommand.named(name) {
      return ([help(on: command)] + (name == "state" ? fieldsOfState : [])).joined(separator: "\n")
    }
    var found = declared(name)
    if let word = LanguageWord.named(name) { found.append(word.text) }
    if found.isEmpty, let value = try? show("s." + name),
      value != "nil" || typeOfState(name) != nil
    {
      let type = typeOfState(name).map { ", \(ActionText.type($0))" } ?? ""
      found.append("s.\(name) is a field of the state\(type): \(value)")
    }
    guard found.isEmpty else { return found.joined(separator: "\n") }
    let known =
      PromptCommand.all.map(\.name) + actionNames + LanguageWord.all.map(\.name)
      + engine.flow.views.map(\.function.name)
    throw CommandError(
      "nothing is known of \(name)" + Names.suggestion(for: name, among: known))
  }

  /// What a field of the state may be; nil where that is not said.
  private func typeOfState(_ name: String) -> PayloadType? {
    engine.flow.types.type(at: StatePath(parsing: name) ?? StatePath([.field(name)]))
  }

  /// The fields of the state, with their types where they have any.
  private var fieldsOfState: [String] {
    engine.flow.fields.map { field in
      let type = typeOfState(field.name).map { ": \(ActionText.type($0))" } ?? ""
      return "  s.\(field.name)\(type)"
    }
  }

  private var overview: String {
    let commands = PromptCommand.all.map { command in
      (":" + command.name + (command.usage.isEmpty ? "" : " " + command.usage), command.summary)
    }
    let column = (commands.map(\.0.count).max() ?? 0) + 2
    let lines = commands.map { usage, summary in
      "  " + usage + String(repeating: " ", count: column - usage.count) + summary
    }
    let play =
      text.isTyped && actionNames.isEmpty
      ? "Type a declaration, such as action.coin { amount = integer }, then coin { amount = 1 }."
      : "Type an action, such as \(exampleCall), or any Lua: s is the state, _ the last result."
    return """
      \(play)
      Enter runs what is complete; Tab completes, Ctrl-R searches, Ctrl-C stops, Ctrl-D leaves.

      \(lines.joined(separator: "\n"))
        :quit\(String(repeating: " ", count: column - 5))leaves
      """
  }

  /// An action with a payload that fits, as it can be typed.
  var exampleCall: String {
    engine.flow.actions.first.map { call(of: $0) } ?? "push()"
  }

  /// An action with a payload that fits, as it can be typed.
  func call(of action: Action) -> String {
    let name = callee(of: action)
    guard !action.takesNothing else { return name + "()" }
    return name + " "
      + (ActionText.sample(of: action).map { "\(action.payload.hiding($0))" } ?? "{ ... }")
  }

  /// What leads to an action here: not its name, where that stands for something else.
  func callee(of action: Action) -> String {
    let found = try? ask("session_is_shadowed", [.string(action.name)])
    return ActionText.reached(action.name, isShadowed: found?.first == .boolean(true))
  }

  private func help(on command: PromptCommand) -> String {
    let usage = command.usage.isEmpty ? "" : " " + command.usage
    return ":\(command.name)\(usage): \(command.summary)"
      + (command.detail.isEmpty ? "" : "\n\(command.detail)")
  }

  /// What the flow declares under a name, a line or more each.
  private func declared(_ name: String) -> [String] {
    let flow = engine.flow
    var found: [String] = []
    if let action = flow.action(named: name) { found.append(help(on: action)) }
    if let view = flow.views.first(where: { $0.function.name == name }) {
      found.append(
        "\(name) is a view  [\(view.function.place)]; \(Names.dotted("view", name))() reads it")
    }
    if let machine = flow.machines.first(where: { $0.name == name }) {
      found.append("\(name) is a machine  [\(machine.place)]; :machines says where it stands")
    }
    if let gatekeeper = flow.gatekeepers.first(where: { $0.name == name }) {
      found.append(
        "\(name) is a gatekeeper  [\(gatekeeper.place)]; :gatekeepers says who holds what")
    }
    if let scope = flow.scopes.first(where: { $0.name == name }), scope.place.line > 0 {
      found.append("\(name) is a scope  [\(scope.place)]; :scopes says whether it is open")
    }
    if let invariant = flow.invariants.first(where: { $0.function.name == name }) {
      found.append("\(name) is an invariant  [\(invariant.function.place)]")
    }
    return found
  }

  private func help(on action: Action) -> String {
    let flow = engine.flow
    let call = ActionText.call(action, as: callee(of: action))
    var lines = ["\(call) is an action  [\(action.place)]"]
    func add(_ what: String, _ names: [String]) {
      if !names.isEmpty { lines.append("  \(what) \(names.joined(separator: ", "))") }
    }
    add("lives in", action.scope.map { ["scope \(flow.scopes[$0].name)"] } ?? [])
    add("moves", action.machines.map { flow.machines[$0].title })
    add("passes by", action.gatekeepers.map { flow.gatekeepers[$0].title })
    add("is ruled by", action.rules.map { "\($0.title) (\($0.function.place))" })
    add("is reduced at", action.reducer.map { ["\($0.place)"] } ?? [])
    add("starts", action.effects.map { flow.effects[$0].title })
    let name = ActionText.argument(action.name)
    lines.append("  :why \(name) says whether it may pass, :source \(name) shows its text")
    return lines.joined(separator: "\n")
  }
}

/// A word of the language of flows, for `:help`.
struct LanguageWord {
  let name: String
  let text: String

  static func named(_ name: String) -> LanguageWord? { all.first { $0.name == name } }

  static let all: [LanguageWord] = [
    .init("state", "state { coins = 0 } declares fields and their first values; s.coins reads one"),
    .init("action", "action.NAME { field = type } declares an action; {} for no payload"),
    .init(
      "internal", "internal.NAME { field = type } declares an action of effects and timers alone"),
    .init("reduce", "function reduce.NAME(s, a) changes the state s when NAME has passed"),
    .init(
      "gate", "function gate.NAME(s, a) return CONDITION, \"why not\" end lets NAME pass or refuses"
    ),
    .init(
      "gatekeeper",
      "gatekeeper.NAME { load = \"attempt\", loaded = \"reset\" } remembers who passed"),
    .init(
      "machine", "machine.NAME { initial = \"a\", a = { go = \"b\" }, b = {} } is a table of states"
    ),
    .init(
      "scope", "scope.NAME { key = function(s) ... end, actions = { ... } } locks actions away"),
    .init("view", "function view.NAME(s) selects from the state; view.NAME() reads it"),
    .init(
      "effect", "function effect.NAME(self, a) runs after NAME has passed; it may wait, dispatch"),
    .init("invariant", "function invariant.NAME(s) must hold in every state"),
    .init("integer", "integer { min = 1, max = 10, default = 1 } is a type of a payload's field"),
    .init("number", "number { min = 0 } is a type of a payload's field"),
    .init("boolean", "boolean { default = false } is a type of a payload's field"),
    .init(
      "string", "string { pattern = \"^%a+$\", max_length = 20 } is a type; also Lua's library"),
    .init("one_of", "one_of { \"a\", \"b\" } is a type of a payload's field: one of these values"),
    .init("list_of", "list_of(integer) is a type of a payload's field"),
    .init("map_of", "map_of(integer) is a type of a payload's field"),
    .init("optional", "optional(integer) is a type of a field that may be missing"),
    .init("any", "any is the type of a field that takes every plain value"),
    .init("list", "list {} is an empty list in the state"),
    .init("map", "map {} is a table with open keys in the state"),
    .init("none", "none is a field without a value yet"),
    .init("dispatch", "dispatch.NAME { ... } queues an action, in effects; here it offers one"),
    .init("after", "after(seconds, \"NAME\", { ... }) queues an action later, in effects"),
    .init(
      "cancel",
      "cancel(\"NAME\") stops the pending timers of an action, cancel(\"NAME\", { id = 1 }) those "
        + "whose payload has this part; in effects"),
    .init("sleep", "sleep(seconds) waits, in effects"),
    .init("all", "all { a = f, b = g } runs functions side by side, in effects"),
    .init("race", "race { a = f, b = g } runs them until the first has ended, in effects"),
    .init(
      "retry",
      "retry({ times = 5, wait = 2 }, f) calls a function again while it raises, in effects"),
    .init(
      "revised",
      "revised(\"2027-retry\") says whether a durable effect goes on by the text behind a change"),
    .init(
      "in_state", "in_state(s, \"door.open\") says whether a machine is in that state or inside"),
    .init("count_in", "count_in(s, \"stage.ready\") is in how many records a machine is there"),
    .init("all_in", "all_in(s, \"stage.ready\") says whether it is in all of them"),
    .init("now", "now() is the time of the action in seconds; views and invariants have none"),
    .init("date", "date(seconds) is a time since 1970 as year, month, day and so on, in UTC"),
    .init("by", "by() is who offered the action, in gates, reducers and effects; or none"),
    .init("born", "born() is when the case was born, in seconds since 1970; 0 for a host alone"),
    .init("random", "random(), random(n), random(m, n) is chance, in reducers and effects"),
    .init("require", "require \"NAME\" is a module of the flow's own folder"),
    .init("print", "print(...) goes to the host's log, here to the terminal"),
    .init("pass", "pass.NAME { ... } dispatches, also where Lua has the name (pass.next())"),
    .init("inside", "inside.NAME { ... } dispatches as if an effect did: internal actions too"),
    .init("may", "may.NAME { ... } says whether an action may pass, and if not, why"),
    .init("s", "s is the state: s.coins reads a field; only a reducer writes"),
    .init("_", "_ is the last result"),
  ]

  private init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }
}
