import FlowKernel
import FlowLanguage
import LuaRuntime

extension PendingWork {
  /// A sentence about the pending work with its payload, for reports.
  var told: String {
    switch kind {
    case .queued: "\(call) is queued (by #\(cause))"
    case .timer: "\(call) is due at \(DurationText.text(dueSeconds ?? 0))"
    case .postponed:
      "\(call) is postponed until \(postponedIn ?? "its state") is left (by #\(cause))"
    case .effect:
      dueSeconds.map { "\(call) wakes at \(DurationText.text($0))" } ?? "\(call) waits (#\(cause))"
    }
  }
}
