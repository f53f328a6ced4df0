import LuaRuntime

/// Locals of the flow's files that its functions change: they are no part of the state, and so of no
/// history, snapshot or reload.
extension Engine {
  /// Reports the locals that have changed since this was last asked, each once.
  func reportChangedLocals(after action: String? = nil) {
    guard findsChangedLocals else { return }
    for local in locals("changed_locals", [action.map { .string($0) } ?? .nil]) {
      report(.local(local.fault("\(local.title) changes the local \(local.name)")))
    }
  }

  /// Warnings of the locals that are not what they were after loading, which a reload loses.
  func lostLocals() -> [Report] {
    locals("lost_locals", []).map { local in
      .local(
        local.fault("the reload loses the local \(local.name), which \(local.title) changed"))
    }
  }

  private struct ChangedLocal {
    let name: String
    let title: String
    let place: Place

    func fault(_ what: String) -> Fault {
      Fault(file: place.file, line: place.line, message: what + "; data belongs in the state")
    }
  }

  private func locals(_ function: String, _ arguments: [Value]) -> [ChangedLocal] {
    let found = try? vm.call(
      vm.preludeFunction(function), arguments, phase: .script, budget: budget)
    return (found?.first?.listValue ?? []).map { local in
      ChangedLocal(
        name: local["name"]?.stringValue ?? "", title: local["title"]?.stringValue ?? "",
        place: Place(
          file: local["file"]?.stringValue ?? "", line: local["line"]?.integerValue ?? 0))
    }
  }
}
