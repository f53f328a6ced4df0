import FlowLanguage
import LuaRuntime

/// The command `:help`, which lists the possible inputs and explains names.
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
      "\(name) is unknown" + Names.suggestion(for: name, among: known))
  }

  /// Returns the type of a field of the state; nil if none is declared.
  private func typeOfState(_ name: String) -> PayloadType? {
    engine.flow.types.type(at: StatePath(parsing: name) ?? StatePath([.field(name)]))
  }

  /// The fields of the state, with their types if they have some.
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
      Enter runs a complete input; Tab completes, Ctrl-R searches, Ctrl-C stops, Ctrl-D leaves.

      \(lines.joined(separator: "\n"))
        :quit\(String(repeating: " ", count: column - 5))leaves
      """
  }

  /// A call of the first action with a sample payload, as it can be typed.
  var exampleCall: String {
    engine.flow.actions.first.map { call(of: $0) } ?? "push()"
  }

  /// Returns a call of an action with a sample payload, as it can be typed.
  func call(of action: Action) -> String {
    let name = callee(of: action)
    guard !action.takesNothing else { return name + "()" }
    return name + " "
      + (ActionText.sample(of: action).map { "\(action.payload.hiding($0))" } ?? "{ ... }")
  }

  /// Returns the expression that calls an action here.
  func callee(of action: Action) -> String { ActionText.reached(action.name) }

  private func help(on command: PromptCommand) -> String {
    let usage = command.usage.isEmpty ? "" : " " + command.usage
    return ":\(command.name)\(usage): \(command.summary)"
      + (command.detail.isEmpty ? "" : "\n\(command.detail)")
  }

  /// Returns help on all that the flow declares under a name.
  private func declared(_ name: String) -> [String] {
    let flow = engine.flow
    var found: [String] = []
    if let action = flow.action(named: name) { found.append(help(on: action)) }
    if let view = flow.views.first(where: { $0.function.name == name }) {
      found.append(
        "\(name) is a view  [\(view.function.place)]; \(Names.dotted("view", name))() reads it")
    }
    if let machine = flow.machines.first(where: { $0.name == name }) {
      found.append("\(name) is a machine  [\(machine.place)]; :machines shows its current state")
    }
    if let gatekeeper = flow.gatekeepers.first(where: { $0.name == name }) {
      found.append(
        "\(name) is a gatekeeper  [\(gatekeeper.place)]; :gatekeepers shows its passages")
    }
    if let scope = flow.scopes.first(where: { $0.name == name }), scope.place.line > 0 {
      found.append("\(name) is a scope  [\(scope.place)]; :scopes shows if it is open")
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
    add("belongs to", action.scope.map { ["scope \(flow.scopes[$0].name)"] } ?? [])
    add("moves", action.machines.map { flow.machines[$0].title })
    add("acquires", action.gatekeepers.map { flow.gatekeepers[$0].title })
    add("is checked by", action.rules.map { "\($0.title) (\($0.function.place))" })
    add("has its reducer at", action.reducer.map { ["\($0.place)"] } ?? [])
    add("starts", action.effects.map { flow.effects[$0].title })
    let name = ActionText.argument(action.name)
    lines.append("  :why \(name) says if it may pass, :source \(name) shows its source")
    return lines.joined(separator: "\n")
  }
}
