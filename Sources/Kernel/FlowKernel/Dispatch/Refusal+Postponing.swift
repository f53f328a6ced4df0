import LuaRuntime
import StateCharts

extension Refusal {
  /// Returns the refusal that replaces a postponement at the limit of postponed actions; nil below the limit.
  func ofExcess(in timers: Timers, _ limits: Limits) -> Refusal? {
    if timers.postponed < limits.postponed { return nil }
    return Refusal(
      action: action, rejectedBy: rejectedBy,
      reason: "\(limits.postponed) actions are postponed already (the limit postponed)",
      place: place)
  }
}
