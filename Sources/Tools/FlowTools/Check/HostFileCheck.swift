import FlowKernel
import FlowLanguage
import HostFiles

/// A check of a flow's calls against its host file.
struct HostFileCheck {
  let text: FlowText
  let file: HostFile
  /// The source of the file, by its name in findings.
  let source: LuaSource
  /// The folder of that name, with its slash, in which its modules are, too.
  let folder: String

  /// All findings except those that comments allow.
  var findings: [Finding] {
    let allowances = Allowances(text.sources + [source])
    return (misfits + ofCalls + unused).filter { !allowances.allow($0) }
  }

  /// The declarations of the host file that do not fit the flow.
  private var misfits: [Finding] {
    file.faults(for: text.flow).map { fault in
      var fault = fault
      fault.file = folder + fault.file
      return Finding(.fault, fault)
    }
  }

  // MARK: Calls

  private var ofCalls: [Finding] {
    let lent = Dictionary(
      file.capabilities.map { ($0.title, $0) }, uniquingKeysWith: { first, _ in first })
    let uses = CapabilityUses(text)
    var reached: [(call: CapabilityCall, capability: HostCapability)] = []
    var found: [Finding] = []
    for call in uses.calls {
      switch uses.member(of: call, where: { lent["\($0).\($1)"] != nil }) {
      case .factory: break
      case .missing: found.append(missing(call))
      case .capability(let scope):
        if let capability = lent["\(scope).\(call.name)"] { reached.append((call, capability)) }
      }
    }
    return found + arguments(of: reached)
      + reached.compactMap { unrepeated($0.call, $0.capability) }
  }

  private func missing(_ call: CapabilityCall) -> Finding {
    let scope = text.flow.scopes[call.scope].name
    let known = Set(
      file.capabilities.map(\.name) + text.flow.scopes.flatMap(\.factories)
        + ["unlock", "close", "defer"])
    // Another scope may have one of the same name.
    let advice = Names.suggestion(
      for: call.name, among: known.subtracting([call.name]).sorted())
    return Finding(
      .missingCapability, at: call.place,
      "nobody provides \(scope).\(call.name): name it in \(source.name)\(advice)")
  }

  private func arguments(
    of calls: [(call: CapabilityCall, capability: HostCapability)]
  ) -> [Finding] {
    if calls.isEmpty { return [] }
    let roles = FunctionRoles(text).roles
    let views = FlowCheck.answers(of: text.sources, roles)
    return Dictionary(grouping: calls, by: \.call.place.file).flatMap { file, calls -> [Finding] in
      guard let tree = text.sources.first(where: { $0.name == file })?.tree else { return [] }
      let shapes = TreeShapes(tree, TreeCheck.taken(roles[file] ?? [:], in: tree), views: views)
      return calls.flatMap { call, capability -> [Finding] in
        guard case .method(_, _, let given) = tree.expressions[call.expression].kind else {
          return []
        }
        return TypeCheck.arguments(given, of: capability, in: file, shapes, line: call.place.line)
      }
    }
  }

  /// Returns a finding for a task of an effect that does not resume after a restart.
  private func unrepeated(_ call: CapabilityCall, _ capability: HostCapability) -> Finding? {
    guard capability.kind == .worker || capability.hasCallback, !call.effect.isDurable else {
      return nil
    }
    return Finding(
      .unrepeatedTask, at: call.place,
      "\(call.effect.title) is not durable: the task of \(call.name) is performed at most once, and a "
        + "restart ends it; durable = true lets it go on")
  }

  // MARK: Capabilities

  /// The capabilities that nothing calls.
  private var unused: [Finding] {
    let called = text.calledNames
    let scopes = Set(text.flow.scopes.map(\.name))
    return file.capabilities.filter { scopes.contains($0.scope) && !called.contains($0.name) }
      .map { capability in
        let place = SourcePlace(
          file: folder + capability.place.file, line: capability.place.line)
        let advice = Names.suggestion(for: capability.name, among: called.sorted())
        return Finding(
          .unusedCapability, at: place,
          "nothing in \(text.flow.file) calls \(capability.name)\(advice)")
      }
  }
}
