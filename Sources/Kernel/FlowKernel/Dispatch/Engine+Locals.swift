import FlowLanguage
import LuaRuntime

/// Locals of the flow's files that its functions change: they are no part of the state, and so of no
/// history, snapshot or reload.
extension Engine {
  /// Begins to look after each call for locals that scripts have changed.
  package func findChangedLocals() throws(ScriptError) {
    observers.findsChangedLocals = try flow.watchLocals(in: vm, limits: limits)
  }

  /// Reports the locals that have changed since this was last asked, each once.
  func reportChangedLocals(after action: String? = nil) {
    guard observers.findsChangedLocals else { return }
    for local in locals("changed_locals", [action.map { .string($0) } ?? .nil]) {
      report(.local(local.fault("\(local.title) changes the local \(local.name)")))
    }
  }

  /// Warnings of the locals that are not what they were after loading, which a reload loses.
  package func lostLocals() -> [Report] {
    guard observers.findsChangedLocals else { return [] }
    return locals("lost_locals", []).map { local in
      .local(
        local.fault("the reload loses the local \(local.name), which \(local.title) changed"))
    }
  }

  /// Remembers what the locals hold.
  func keepLocals() {
    if observers.findsChangedLocals { _ = locals("keep_locals", []) }
  }

  /// The locals hold what they did when they were remembered.
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
