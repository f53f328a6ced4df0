import FlowKernel
import FlowLanguage
import LuaRuntime
import StateCharts

extension Refusal {
  /// The constant part of the reason; nil if there is no reason.
  ///
  /// A machine's reason loses the states in which the action would have passed, a gatekeeper's the time since which an
  /// option is held.
  var lastingReason: String? {
    guard let reason else { return nil }
    let end: String
    switch rejectedBy {
    case .machine where reason.hasPrefix("\(action) is not possible in "): end = " ("
    case .gatekeeper: end = " since "
    default: return reason
    }
    var kept = reason[...]
    while !kept.isEmpty, !kept.hasPrefix(end) { kept = kept.dropFirst() }
    return String(reason.dropLast(kept.count))
  }
}
