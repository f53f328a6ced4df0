import FlowKernel
import FlowLanguage
import LuaRuntime
import StateCharts

extension Refusal {
  /// What of its reason is the same each time: of a machine's not in which states it would have passed, of a
  /// gatekeeper's not since when an option is held.
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
