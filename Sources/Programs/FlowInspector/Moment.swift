import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime

/// The data of one moment that a page shows: state, active states, permissions and pending work.
struct Moment {
  let shown: ShownValues

  init(_ shown: ShownValues) { self.shown = shown }

  /// Returns the data of a running engine, or of a copy at an earlier moment.
  func data(of engine: Engine, machines active: ActiveStatePaths) throws -> [String: Value] {
    let state = try engine.state()
    return [
      "revision": .integer(engine.revision), "time": .number(engine.seconds),
      "state": shown.state(state), "active": active.data(in: state), "may": permissions(engine),
      "pending": pending(engine), "passages": passages(engine), "scopes": scopes(engine),
      "views": views(engine),
    ]
  }

  // MARK: Permissions

  /// Returns for each action whether it may pass, or what refuses it with any payload.
  ///
  /// Actions with required fields are not tried.
  private func permissions(_ engine: Engine) -> Value {
    var fields: [String: Value] = [:]
    for action in shown.flow.actions {
      if let refusal = engine.refusalOfAnyPayload(action.name) {
        fields[action.name] = refused(refusal)
      } else if action.payload.requiredNames.isEmpty {
        fields[action.name] = data(of: engine.may(action.name, [:]))
      } else {
        fields[action.name] = ["may": true, "needs_payload": true]
      }
    }
    return .record(fields)
  }

  /// Returns a permission as JSON data.
  func data(of permission: Permission) -> Value {
    switch permission {
    case .granted: return ["may": true]
    case .refused(let refusal): return refused(refusal)
    case .failed(let failure):
      return [
        "may": false, "failed": true, "who": .string(failure.kind.rawValue),
        "why": shown.sentence(failure.summary),
      ]
    }
  }

  private func refused(_ refusal: Refusal) -> Value {
    [
      "may": false, "who": .string("\(refusal.rejectedBy)"),
      "why": shown.sentence(refusal.reason ?? refusal.description),
      "place": .string("\(refusal.place)"),
    ]
  }

  // MARK: Pending work

  /// Returns the running effects, in the form of the queued actions and timers.
  func data(of currentWork: CaseTimeline.CurrentWork) -> [Value] {
    currentWork.effects.map { effect in
      guard case .record(var fields) = effect.value(epoch: nil) else { return .nil }
      (fields["kind"], fields["what"]) = ("effect", shown.sentence(effect.title))
      fields["effect"] = nil
      if !effect.waits.isEmpty {
        fields["waits_for"] = .list(effect.waits.map { data(of: $0, in: currentWork) })
      }
      return .record(fields)
    }
  }

  /// Returns a wait; that for a task has the worker, the end of the lease and the last error, too.
  ///
  /// Times are seconds of the case's own time, as all of a moment are.
  private func data(
    of wait: EffectStatus.Wait, in currentWork: CaseTimeline.CurrentWork
  ) -> Value {
    let value = wait.value(epoch: nil, tasks: currentWork.tasks)
    guard let key = wait.openTask?.key, let row = currentWork.tasks[key],
      case .record(var fields) = value, case .record(var task)? = fields["task"]
    else { return value }
    func time(_ wall: Int?) -> Value? {
      wall.map { .number(EngineTime.seconds(EngineTime.later($0, by: -currentWork.epoch))) }
    }
    fields["capability"] = .string(row.task.capability)
    task["worker"] = row.worker.map { .string($0) }
    task["until"] = time(row.free)
    task["deadline"] = time(row.task.deadline)
    task["error"] = row.error.map { shown.sentence($0) }
    fields["task"] = .record(task)
    return .record(fields)
  }

  /// Returns the effects that failed.
  func data(of failed: [CaseEffects.Failed]) -> Value {
    .list(
      failed.map { each in
        guard case .record(var fields) = each.value(epoch: nil) else { return .nil }
        fields["effect"] = shown.sentence(each.failure.title)
        fields["reason"] = shown.sentence(each.failure.reason)
        return .record(fields)
      })
  }

  /// Returns the queued actions and the timers; effects are listed separately, with what they wait for.
  private func pending(_ engine: Engine) -> Value {
    .list(
      engine.pendingWork.filter { $0.kind != .effect }.map { item in
        var fields: [String: Value] = [
          "kind": .string("\(item.kind)"), "what": shown.sentence(item.title),
        ]
        fields["due"] = item.due.map { .number($0 / .seconds(1)) }
        fields["cause"] = .integer(item.cause)
        let payload = shown.payload(item.payload, of: item.action)
        if !payload.isEmptyTable { fields["payload"] = .string(payload.text(limit: 160)) }
        return .record(fields)
      })
  }

  private func passages(_ engine: Engine) -> Value {
    .list(
      engine.gatekeeperStatus.map { gatekeeper in
        [
          "name": .string(gatekeeper.name),
          "options": .list(gatekeeper.options.map { .string($0) }),
          "held": .list(
            gatekeeper.held.map { held in
              [
                "option": held.option.map { .string($0) } ?? .nil, "by": .string(held.action),
                "since": .integer(held.revision), "time": .number(held.time),
              ]
            }),
        ]
      })
  }

  private func scopes(_ engine: Engine) -> Value {
    .list(
      engine.scopeStatus.map { scope in
        var fields: [String: Value] = [
          "name": .string(scope.name), "open": .boolean(scope.isOpen),
          "actions": .list(scope.actions.map { .string($0) }),
        ]
        fields["parent"] = scope.parent.map { .string($0) }
        fields["key"] = scope.key.map { shown.sentence($0.text(limit: 120)) }
        fields["wanting"] = scope.wanting.map { .string($0) }
        return .record(fields)
      })
  }

  private func views(_ engine: Engine) -> Value {
    .list(
      shown.flow.views.map { view in
        let name = view.function.name
        let text: String
        do { text = try engine.view(name).text(limit: 400) } catch { text = "\(error)" }
        return ["name": .string(name), "value": shown.sentence(text)]
      })
  }
}
