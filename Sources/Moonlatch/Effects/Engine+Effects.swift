import LuaRuntime

/// Step 8: effects start, wait, go on and end.
extension Engine {
  /// Starts the effects of a transition in the order of declaration, each to its first wait.
  func startEffects(
    of action: LoadedAction, _ transition: Transition, _ cause: Cause, _ owner: Int?
  ) {
    let root = scopes.current[0] ?? 1
    for index in action.effects {
      let effect = flow.effects[index]
      let instance = effect.isShared ? root : owner ?? root
      do throws(ScriptError) {
        guard effects.count < limits.effects else {
          throw ScriptError(
            kind: .limit, message: "\(limits.effects) effects are waiting already",
            chunk: effect.function.place.file, line: effect.function.place.line)
        }
        let own = try reference(to: instance)
        let more = effect.function.parameters >= 3 ? [transition.value] : []
        run(effects.begin(effect, cause, in: home(of: instance))) {
          vm.start(effect.function.reference, self: own, more: more, budget: budget)
        }
      } catch {
        ended(effect, cause, error)
      }
    }
  }

  /// An effect whose own scope its action has closed waits in the nearest one that is open.
  private func home(of instance: Int) -> Int {
    var at = instance
    while let here = scopes[at], here.block.isClosed, let parent = here.parent { at = parent }
    return at
  }

  private func run(
    _ running: RunningEffects.Running, _ body: () -> (LuaTask, TaskProgress)
  ) {
    let outer = effects.current
    effects.current = running
    let (task, progress) = body()
    effects.current = outer
    took(progress, task, running)
  }

  /// Goes on with an effect that waited.
  func go(on task: LuaTask, with answer: Result<[Value], TaskError>) {
    guard var running = effects[task] else { return }
    effects[task] = nil
    running.call = nil
    run(running) { (task, vm.resume(task, with: answer, budget: budget)) }
  }

  private func took(_ progress: TaskProgress, _ task: LuaTask, _ running: RunningEffects.Running) {
    switch progress {
    case .finished: closeUnlocked(by: running)
    case .failed(let error):
      closeUnlocked(by: running)
      ended(running.effect, running.cause, error)
    case .waiting(let request):
      effects[task] = running
      wait(task, for: request)
    }
  }

  private func wait(_ task: LuaTask, for request: [Value]) {
    switch request.first?.stringValue {
    case "sleep":
      let delay = EngineTime.microseconds(request.last?.doubleValue ?? 0)
      if delay == 0 {
        queue.add(.wake(task), owner: .nobody)
      } else {
        timers.add(
          .wake(task), due: EngineTime.later(time, by: delay), owner: .nobody, name: "sleep")
      }
    default: effects[task]?.call = request.last?.integerValue
    }
  }

  /// An effect did not finish: `on_error` is dispatched with its own transition as cause.
  func ended(_ effect: Effect, _ cause: Cause, _ error: ScriptError) {
    guard let name = effect.onError, let action = flow.action(named: name) else {
      return report(.effect(title: effect.title, error))
    }
    let takesError = action.payload.fieldNames.contains("error")
    let payload: Value = takesError ? ["error": .string(error.message)] : [:]
    report(.handled(title: effect.title, error, by: name))
    do {
      let checked = try check(name, payload)
      queue.add(
        .action(QueuedAction(name: name, payload: checked ?? [:], cause: cause)), owner: .nobody)
    } catch {
      if case .failed(let failure) = error { report(.queuedFailed(failure)) }
    }
  }

  /// Ends an effect that waits, without a word: in the history that goes on it never began.
  func drop(_ task: LuaTask) {
    guard let running = effects[task] else { return }
    effects[task] = nil
    timers.remove(waking: task)
    queue.remove(waking: task)
    let outer = effects.current
    effects.current = running
    vm.close(task, budget: budget)
    effects.current = outer
    closeUnlocked(by: running)
  }

  /// Stops an effect that waits: what it has to close is closed, and it counts as not finished.
  func stop(_ task: LuaTask, because reason: String) {
    guard let running = effects[task] else { return }
    drop(task)
    if running.effect.onError != nil {
      ended(
        running.effect, running.cause,
        ScriptError(
          kind: .runtime, message: reason, chunk: running.effect.function.place.file,
          line: running.effect.function.place.line))
    }
  }
}

extension PayloadType {
  var fieldNames: [String] {
    if case .record(let fields) = self { return fields.map(\.name) }
    return []
  }
}

extension Transition {
  /// What an effect gets as its third argument.
  var value: Value {
    .record(
      [
        "action": .string(action), "revision": .integer(revision),
        "cause": cause.map { .integer($0) } ?? .nil, "time": .number(time),
        "patch": .list(
          patch.changes.map { change in
            .record([
              "path": .string(change.path.description), "old": change.old, "new": change.new,
            ])
          }),
      ].filter { !$0.value.isNil })
  }
}
