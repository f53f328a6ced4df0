import LuaRuntime
import StateCharts

extension Refusal {
  /// The refusal that stands in place of a postponement, where as many actions are postponed as may be.
  func ofExcess(in timers: Timers, _ limits: Limits) -> Refusal? {
    if timers.postponed < limits.postponed { return nil }
    return Refusal(
      action: action, rejectedBy: rejectedBy,
      reason: "\(limits.postponed) actions are postponed already (the limit postponed)",
      place: place)
  }
}
