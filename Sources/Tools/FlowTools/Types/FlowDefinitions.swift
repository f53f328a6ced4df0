import FlowKernel
import FlowLanguage
import LuaRuntime

/// The LuaCATS definitions of the names that a flow declares.
package struct FlowDefinitions {
  private let text: FlowText
  private let views: [String: Value]
  private let stubs: Set<String>
  private let prefix: String
  private var classes: DefinitionClasses
  private var payloads: [String: String] = [:]
  private var lines: [String] = []
  private var flow: Flow { text.flow }

  /// Returns the definitions of a flow.
  ///
  /// - Parameter stubs: the capabilities that scenarios stub, as `scope.name`.
  package static func text(_ text: FlowText, stubs: Set<String> = []) throws -> String {
    var definitions = try FlowDefinitions(text, stubs: stubs)
    definitions.write()
    return definitions.lines.joined(separator: "\n") + "\n"
  }

  private init(_ text: FlowText, stubs: Set<String>) throws {
    self.text = text
    self.stubs = stubs
    prefix = DefinitionClasses.word(FlowDefinitions.stem(of: text.flow.file))
    classes = DefinitionClasses(prefix: prefix)
    let engine = try Engine(text.loaded, limits: text.loaded.limits, log: ScriptLog { _ in })
    views = Dictionary(
      text.flow.views.map { ($0.function.name, (try? engine.view($0.function.name)) ?? .nil) },
      uniquingKeysWith: { $1 })
  }

  /// Returns the name of a flow's file without its folder and extension.
  package static func stem(of file: String) -> String { FlowFile.stem(of: file) }

  private mutating func write() {
    let file = flow.file.split(separator: "/").last.map(String.init) ?? flow.file
    lines = [
      "---@meta _", "-- The names that \(file) declares, for lua-language-server.",
      "-- Written by \"moonlatch types\", which overwrites it each time.", "",
      "---@alias \(prefix).ActionName \(alternatives(flow.actionNames))", "",
    ]
    writeState()
    writePayloads()
    lines += classes.lines + [""]
    writeScopes()
    writeDeclarations()
    writeEffects()
    writeScenarios()
  }

  private func alternatives(_ names: [String]) -> String {
    names.isEmpty
      ? "string" : names.map { Value.quoted($0, limit: .max) }.joined(separator: "|")
  }

  // MARK: Values

  private mutating func writeState() {
    let name = classes.newName("State")
    for machine in flow.machines {
      guard let records = machine.records,
        let type = flow.types.typeOfRecords(at: records.path)
      else { continue }
      classes.add(self.fields(of: machine), toRecordsOf: type)
    }
    var fields = flow.fields.map { field in
      classes.field(
        field.name, field.shape, flow.types.root[field.name],
        "\(name).\(DefinitionClasses.word(field.name))")
    }
    for machine in flow.machines where machine.records == nil {
      for (number, region) in machine.regionFields {
        let inside = number == 0 ? "" : "|nil"
        fields.append(
          "\(DefinitionClasses.field(region)) \(alternatives(machine.values(of: number)))\(inside) "
            + "The state of machine \(machine.name).")
      }
    }
    classes.add(name, comment: "The state.", fields: fields)
    for machine in flow.machines {
      guard let records = machine.records else { continue }
      classes.add(
        classes.newName("record", machine.name),
        comment: "A record of \(records.path.joined(separator: ".")): the field of machine "
          + "\(machine.name).", fields: self.fields(of: machine), isExact: false)
    }
  }

  /// Returns the fields that a machine adds to the records that have it.
  private func fields(of machine: Machine) -> [String] {
    machine.regionFields.map { number, region in
      "\(DefinitionClasses.field(region)) \(alternatives(machine.values(of: number)))"
        + (number == 0 ? "" : "|nil")
    }
  }

  private mutating func writePayloads() {
    for action in flow.actions {
      guard case .record(let fields) = action.payload, !fields.isEmpty else {
        // The payload of a document's event may contain anything.
        payloads[action.name] = flow.document == nil ? "{}" : "table<string, any>"
        continue
      }
      let name = classes.newName("action", action.name)
      payloads[action.name] = name
      classes.addRecord(
        fields, name, comment: "The payload of \(DefinitionClasses.line(action.name)).")
    }
  }

  /// Returns `payload: CLASS`, with a question mark if the payload may be omitted.
  private func parameter(_ action: Action) -> String {
    let mark = action.payload.requiredNames.isEmpty ? "?" : ""
    return "payload\(mark): \(payloads[action.name] ?? "{}")"
  }

  // MARK: Scopes

  private func scopeClass(_ name: String) -> String {
    "\(prefix).scope.\(DefinitionClasses.word(name))"
  }

  private mutating func writeScopes() {
    let capabilities = CapabilityUses(text).names(stubs: stubs)
    let inner = Dictionary(grouping: flow.scopes) { $0.parent ?? "" }
    for (index, scope) in flow.scopes.enumerated() {
      let name = scopeClass(scope.name)
      let parent = scope.parent.map(scopeClass) ?? "moonlatch.Instance"
      lines.append("---An instance of scope \(DefinitionClasses.line(scope.name)).")
      lines.append("---@class \(name): \(parent)")
      if let parent = scope.parent { lines.append("---@field parent \(scopeClass(parent))") }
      for factory in scope.factories {
        lines.append(
          "---@field \(DefinitionClasses.field(factory)) fun(self: any, ...): any A factory: a new "
            + "thing for each call.")
      }
      for capability in (capabilities[index] ?? []).sorted()
      where !scope.factories.contains(capability) {
        lines.append(
          "---@field \(DefinitionClasses.field(capability)) fun(self: any, ...): any A "
            + "capability that the host provides.")
      }
      let children = inner[scope.name] ?? []
      if !children.isEmpty {
        let forms = children.map {
          "(fun(self: any, name: \(Value.quoted($0.name, limit: .max)), key?: any): "
            + "\(scopeClass($0.name)))"
        }
        lines.append(
          "---@field unlock \(forms.joined(separator: "|")) The instance of an inner scope.")
      }
      lines.append("")
    }
  }

  // MARK: Declarations

  private mutating func writeDeclarations() {
    let state = "\(prefix).State"
    lines.append("---@class moonlatch.Reducers")
    for action in flow.actions {
      field(action.name, "fun(s: \(state), a: \(payloads[action.name] ?? "{}"))")
    }
    lines += ["", "---@class moonlatch.Gates"]
    lines.append(
      "---@overload fun(name: string, actions: \"*\"|\(prefix).ActionName|\(prefix).ActionName[], "
        + "rule: fun(s: \(state), a: any, name: \(prefix).ActionName): any, any)")
    for action in flow.actions {
      field(action.name, "fun(s: \(state), a: \(payloads[action.name] ?? "{}")): any, any")
    }
    lines += ["", "---@class moonlatch.Views"]
    for view in flow.views {
      let type = DefinitionClasses.typeName(views[view.function.name] ?? .nil)
      field(view.function.name, "(fun(s: \(state)): any)|(fun(): \(type))")
    }
    lines += ["", "---@class moonlatch.Invariants"]
    for invariant in flow.invariants {
      field(invariant.function.name, "fun(s: \(state)): any, any")
    }
    lines += ["", "---@class moonlatch.Gatekeepers"]
    for gatekeeper in flow.gatekeepers {
      let options =
        gatekeeper.isYesNo ? "yes or no" : "options: \(gatekeeper.options.joined(separator: ", "))"
      field(gatekeeper.name, "moonlatch.Gatekeeper", comment: options)
    }
    lines.append("")
  }

  private mutating func field(_ name: String, _ type: String, comment: String? = nil) {
    let words = comment.map { " \(DefinitionClasses.line($0))" } ?? ""
    lines.append("---@field \(DefinitionClasses.field(name)) \(type)\(words)")
  }

  // MARK: Effects

  private mutating func writeEffects() {
    let names = "\(prefix).ActionName"
    lines.append("---@class moonlatch.Effects")
    lines.append(
      "---@overload fun(name: string, actions: \"*\"|\(names)|\(names)[], "
        + "run: (fun(self: \(scopeClass("root")), a: any, commit: moonlatch.Commit))"
        + "|{ run: function, on_done: \(names)?, on_error: \(names)? })")
    for action in flow.actions {
      let owner = scopeClass(action.scope.map { flow.scopes[$0].name } ?? "root")
      let run =
        "fun(self: \(owner), a: \(payloads[action.name] ?? "{}"), commit: moonlatch.Commit)"
      field(
        action.name, "(\(run))|{ run: (\(run)), on_done: \(names)?, on_error: \(names)? }")
    }
    writeQuestions()
    writeCalls("moonlatch.Dispatch", returns: ": any")
    writeCalls("moonlatch.May", returns: ": boolean, string?, string?")
    lines += [
      "", "---Dispatches an action later: `after(seconds, \"NAME\", payload)`.",
      "---@param seconds number|string", "---@param name \(names)", "---@param payload? table",
      "---@return moonlatch.Timer", "function after(seconds, name, payload) end", "",
      "---Stops the pending timers of an action: all, or those whose payload has this part.",
      "---@param name \(names)", "---@param part? table", "---@return integer stopped",
      "function cancel(name, part) end", "",
    ]
  }

  /// Writes the functions that query the states of machines.
  private mutating func writeQuestions() {
    let names = flow.machines.flatMap { machine in
      var regions = machine.regionFields.map { (name: $0.field, region: $0.number) }
      if machine.chart.regions[0].field == nil { regions.append((machine.name, 0)) }
      return regions.flatMap { name, region in
        machine.paths(in: region).filter { $0 != name }.map { "\(name).\($0)" }
      }
    }
    guard !names.isEmpty else { return }
    lines += [
      "", "---Returns true if a machine or a region is in a state, or in one inside it.",
      "---@param s any The state, or the record that has the machine.",
      "---@param name \(alternatives(names))", "---@return boolean",
      "function in_state(s, name) end",
    ]
    if flow.machines.allSatisfy({ $0.records == nil }) { return }
    lines += [
      "", "---Returns the number of records whose machine is in a state, or in one inside it.",
      "---@param s any The state.", "---@param name \(alternatives(names))", "---@return integer",
      "function count_in(s, name) end", "",
      "---Returns true if the machines of all records are in a state, or in one inside it.",
      "---@param s any The state.", "---@param name \(alternatives(names))", "---@return boolean",
      "function all_in(s, name) end",
    ]
  }

  private mutating func writeCalls(_ name: String, returns: String) {
    lines += ["", "---@class \(name)"]
    for action in flow.actions {
      lines.append(
        "---@overload fun(name: \(Value.quoted(action.name, limit: .max)), "
          + "\(parameter(action)))\(returns)")
    }
    for action in flow.actions { field(action.name, "fun(\(parameter(action)))\(returns)") }
  }

  // MARK: Scenarios

  private mutating func writeScenarios() {
    lines.append("---@class moonlatch.Pass")
    for action in flow.actions where !action.isInternal {
      field(action.name, "fun(\(parameter(action)))")
    }
    lines += ["", "---@class moonlatch.Inside"]
    for action in flow.actions { field(action.name, "fun(\(parameter(action)))") }
    lines += ["", "---@class moonlatch.Refuse"]
    for action in flow.actions {
      field(action.name, "fun(\(parameter(action))): moonlatch.Refused")
    }
    lines += ["", "---@class moonlatch.ExpectedViews"]
    for view in flow.views { field(view.function.name, "fun(value: any)") }
    lines += ["", "---@class moonlatch.ExpectedMachines"]
    for machine in flow.machines where machine.records == nil {
      for (number, region) in machine.regionFields {
        let name = flow.document == nil ? region : String(region.drop { $0 == "#" })
        field(name, "fun(state: \(alternatives(machine.paths(in: number))))")
      }
      if machine.chart.regions[0].field == nil {
        field(machine.name, "fun(state: \(alternatives(machine.paths(in: 0))))")
      }
    }
    for machine in flow.machines {
      guard let records = machine.records else { continue }
      let inner = machine.regionFields.filter { $0.number > 0 }
      for (number, name) in [(0, machine.name)] + inner {
        let asked = "fun(state: \(alternatives(machine.paths(in: number))))"
        field(
          name,
          (0..<records.levels).reduce(asked) { type, _ in "table<string|integer, \(type)>" })
      }
    }
    lines += ["", "---@class moonlatch.ExpectedGatekeepers"]
    for gatekeeper in flow.gatekeepers {
      let option = alternatives(gatekeeper.options)
      field(
        gatekeeper.name,
        gatekeeper.isYesNo
          ? "fun(passage: \"held\"|\"free\")" : "fun(options: \(option)|(\(option))[])")
    }
    lines += ["", "---@class moonlatch.ExpectedScopes"]
    for scope in flow.scopes { field(scope.name, "fun(state: \"open\"|\"locked\")") }
  }
}
