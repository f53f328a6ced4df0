import FlowKernel
import LuaRuntime

/// Answers of nodes with another text of the flow, during the deployment of a new version.
extension CaseAnswer {
  /// Returns the answer as it is stored in the inbox, with the hash of the text that answered.
  package func value(from flow: LoadedFlow) -> Value {
    .record((value.recordValue ?? [:]).merging(["flow": .string(flow.flow.hash)]) { $1 })
  }

  /// True if a node with another text does not know a view, an action or its payload that our text has.
  func isUnknownThere(_ request: CaseRequest, _ flow: LoadedFlow, _ value: Value) -> Bool {
    if value["flow"]?.stringValue == flow.flow.hash { return false }
    switch (self, request) {
    case (.outcome(.failed(let failure)), .dispatch(let action, _, _, _, _)),
      (.permission(.failed(let failure)), .may(let action, _, _)):
      return [.undeclared, .payload].contains(failure.kind)
        && flow.flow.action(named: action)?.isInternal == false
    case (.failed(ViewError.undeclared), .view(let name)):
      return flow.flow.views.contains { $0.function.name == name }
    default: return false
    }
  }

  package static func otherVersion(of id: String) -> JournalError {
    JournalError(
      .otherVersion,
      "case \(id) is at a node with another version of the flow, which has no such action or view: nothing "
        + "was done; send the request again with the same key.")
  }
}
