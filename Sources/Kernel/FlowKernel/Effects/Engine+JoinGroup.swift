import LuaRuntime

extension Engine {
  /// The cost of starting a function, in instructions: its coroutine counts from zero.
  private static let instructionsPerFunction = 1_000
  /// The greatest depth of nested `all` and `race`.
  static let deepestGroup = 1_000

  /// Makes an effect wait for that number of functions.
  func gather(_ running: RunningEffects.Running, isRace: Bool, count: Int) {
    let joinGroup = JoinGroup(
      isRace: isRace, count: count, at: running.position.nextFunctions(isRace: isRace),
      depth: (running.branch?.joinGroup.depth ?? 0) + 1)
    running.joinGroup = joinGroup
    effects.steps.append(.begin(Branch(parent: running, joinGroup: joinGroup, number: 1)))
    if joinGroup.depth > Engine.deepestGroup {
      refuse(running, "all and race are nested more than \(Engine.deepestGroup) deep")
    } else if count > limits.effects - effects.count {
      refuseCount(running)
    }
  }

  func take(_ next: GatheringStep) {
    switch next {
    case .begin(let branch): begin(branch)
    case .goOn(let parent, let answer):
      guard let running = effects.take(parent.number), let task = running.task else { return }
      step(running) {
        (task, $0.resume(task, receiver: running.receiver, with: answer, budget: budget))
      }
    }
  }

  func begin(_ branch: Branch) {
    if branch.joinGroup.isOver { return }
    guard effects.count < limits.effects else { return refuseCount(branch.parent) }
    if branch.number < branch.joinGroup.count {
      effects.steps.append(
        .begin(
          Branch(
            parent: branch.parent, joinGroup: branch.joinGroup, number: branch.number + 1)))
    }
    vm.spend(Engine.instructionsPerFunction)
    let again = numberAgain(of: branch)
    let running = RunningEffects.Running(number: again ?? caseState.nextEffectNumber(), branch)
    recordFunction(running, isAgain: again != nil)
    step(running) { $0.start(receiver: running.receiver, budget: budget) }
  }

  /// Ends a group whose functions would exceed the limit of waiting effects.
  private func refuseCount(_ parent: RunningEffects.Running) {
    let count = parent.joinGroup?.count ?? 0
    refuse(parent, "\(count) functions at once are too many: \(limits.effects) effects may wait")
  }

  private func refuse(_ parent: RunningEffects.Running, _ reason: String) {
    end(parent, .failure(TaskError(message: reason)))
  }

  /// Counts a function that has ended or raised an error, and ends its group if that decides it.
  func ended(_ branch: Branch, with error: ScriptError? = nil) {
    let joinGroup = branch.joinGroup
    joinGroup.left -= 1
    deliver(.effectWaitsAnew(branch.parent.root.number), to: .effects)
    if joinGroup.isOver { return }
    if error != nil || joinGroup.isRace {
      branch.parent.functionError = error
      let answer: [Value] = [
        .integer(branch.number), .boolean(error != nil), .boolean(error?.isRaised == true),
      ]
      end(branch.parent, .success(answer))
    } else if joinGroup.left == 0 {
      end(branch.parent, .success([]))
    }
  }

  /// Stops the functions that still wait, and resumes the code that waited for them.
  private func end(_ parent: RunningEffects.Running, _ answer: Result<[Value], TaskError>) {
    stopFunctions(of: parent, because: "another function ended first")
    effects.steps.append(.goOn(parent, answer))
  }

  /// Stops the functions of an effect, or of a function, for which nothing waits any more.
  func stopFunctions(of running: RunningEffects.Running, because reason: String) {
    guard let joinGroup = running.joinGroup else { return }
    running.joinGroup = nil
    joinGroup.isOver = true
    for number in joinGroup.waiting.sorted() { drop(number, because: reason) }
  }
}
