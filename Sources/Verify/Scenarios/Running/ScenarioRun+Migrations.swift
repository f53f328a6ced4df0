import FlowKernel
import LuaRuntime

/// Migrating a state that an earlier version of the flow has left, to compare the result.
extension ScenarioRun {
  /// Migrates an earlier state and compares the result with the expected one.
  ///
  /// Arguments: kind, place, the expected part of the state, the earlier state, its version (0 for the one before the
  /// flow's), the expected timers.
  func compareMigration(_ arguments: [Value]) throws -> Bool {
    guard arguments.count > 5 else { return true }
    let now = engine.flow.version
    let version = arguments[4].integerValue.flatMap { $0 == 0 ? now - 1 : $0 } ?? 0
    guard (1..<now).contains(version) else {
      throw UsageError(
        now == 1
          ? "expect.migrates needs a flow of a later version: version(2)"
          : "expect.migrates: version must be before \(now), the version of this flow, not \(version)"
      )
    }
    let title = "the state of version \(version)"
    let later = try Engine(
      flow, limits: engine.limits, log: engine.log, seed: settings.seed)
    if let failure = later.takeUp(arguments[3], ofVersion: version) {
      fail(at: arguments[1], "\(title) does not fit: \(failure.summary)", [])
      return false
    }
    var mismatches = Expectation.part(
      arguments[2], of: try later.state(), matching: matching, hiding: later.flow.secrets)
    if arguments[5].recordValue != nil || arguments[5].isEmptyTable {
      mismatches += Expectation.equal(
        ["timers": arguments[5]], to: ["timers": later.timersByAction], matching: matching)
    }
    if !mismatches.isEmpty {
      fail(at: arguments[1], "\(title) is not migrated as expected", mismatches)
    }
    return mismatches.isEmpty
  }
}

extension Engine {
  /// The times at which pending actions are due, in seconds by action: a list if an action is due several times.
  fileprivate var timersByAction: Value {
    var times: [String: [Value]] = [:]
    for item in pendingWork where item.kind == .timer || item.kind == .queued {
      let seconds = item.dueSeconds ?? 0
      times[item.action, default: []].append(
        Int(exactly: seconds).map(Value.integer) ?? .number(seconds))
    }
    return .record(times.mapValues { $0.count == 1 ? $0[0] : .list($0) })
  }
}
