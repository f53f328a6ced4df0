import FlowLanguage
import LuaRuntime

/// Detection of locals of the flow's files that its functions change.
///
/// Such locals are no part of the state, so they are in no history and no snapshot, and a reload loses them.
extension Engine {
  /// Starts to check after each call for locals that scripts have changed.
  package func findChangedLocals() throws(ScriptError) {
    observers.findsChangedLocals = try flow.watchLocals(in: vm, limits: limits)
  }

  /// Reports the locals that have changed since the last check, each once.
  func reportChangedLocals(after action: String? = nil) {
    guard observers.findsChangedLocals else { return }
    for local in locals("changed_locals", [action.map { .string($0) } ?? .nil]) {
      report(.local(local.fault("\(local.title) changes the local \(local.name)")))
    }
  }

  /// Returns warnings for the locals that have changed since the loading, which a reload loses.
  package func lostLocals() -> [Report] {
    guard observers.findsChangedLocals else { return [] }
    return locals("lost_locals", []).map { local in
      .local(
        local.fault("the reload resets the local \(local.name), which \(local.title) changed"))
    }
  }

  /// Saves the values of the locals.
  func keepLocals() {
    if observers.findsChangedLocals { _ = locals("keep_locals", []) }
  }

  /// Restores the saved values of the locals.
  func restoreLocals() {
    if observers.findsChangedLocals { _ = locals("restore_locals", []) }
  }

  private struct ChangedLocal {
    let name: String
    let title: String
    let place: SourcePlace

    func fault(_ what: String) -> Diagnostic {
      Diagnostic(file: place.file, line: place.line, message: what + "; data belongs in the state")
    }
  }

  private func locals(_ function: String, _ arguments: [Value]) -> [ChangedLocal] {
    let found = try? vm.call(
      FlowPreludes.function(function, in: vm), arguments, phase: .script, budget: budget)
    let locals: [Value] = found?.first?.listValue ?? []
    return locals.map { (local: Value) -> ChangedLocal in
      ChangedLocal(
        name: local["name"]?.stringValue ?? "", title: local["title"]?.stringValue ?? "",
        place: SourcePlace(
          file: local["file"]?.stringValue ?? "", line: local["line"]?.integerValue ?? 0))
    }
  }
}
