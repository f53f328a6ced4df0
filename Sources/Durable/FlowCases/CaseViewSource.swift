import FlowHosting
import FlowKernel
import LuaRuntime

/// The views of a case as a source of sequences of values.
struct CaseViewSource: ViewSource {
  let id: String
  weak let cases: Cases?

  func send(_ view: String, to receiver: ViewReceiver) -> @Sendable () -> Void {
    guard let cases else { return {} }
    let follower = CaseFollower(id: id, view: view, cases: cases)
    let task = Task {
      do {
        try await follower.follow { receiver.receive($0) }
      } catch {
        receiver.receive(.failure(ViewError(hostError: error)))
      }
    }
    return { task.cancel() }
  }
}
