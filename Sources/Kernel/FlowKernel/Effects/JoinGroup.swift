import LuaRuntime

/// Functions that run side by side in an effect: what `all` or `race` waits for.
final class JoinGroup {
  /// Whether the first that ends decides.
  let isRace: Bool
  /// How many functions there are.
  package let count: Int
  /// Where they stand in the effect.
  package let path: String
  /// How many groups stand around it, and it itself: the path is as long.
  package let depth: Int
  /// How many of them have not come to their end.
  package var left: Int
  /// Those that wait, by number.
  package var waiting: Set<Int> = []
  /// Whether nobody waits for them any more.
  package var isOver = false

  package init(isRace: Bool, count: Int, at path: String, depth: Int) {
    (self.isRace, self.count, self.path, left) = (isRace, count, path, count)
    self.depth = depth
  }
}

/// One of these functions.
package struct Branch {
  /// The effect, or the function, that waits for it.
  package let parent: RunningEffects.Running
  let joinGroup: JoinGroup
  /// From 1 on, in the order of `pairs`.
  package let number: Int

  /// Its position in the effect: `all1.2`.
  package var place: String { "\(joinGroup.path).\(number)" }
}

/// What is to be done about functions that run side by side.
///
/// Steps are taken one after the other, not one within the other: however deep functions are nested,
/// they take no stack of the host's.
package enum GatheringStep {
  /// A function begins, and then those after it.
  case begin(Branch)
  /// Who waited for functions goes on.
  case goOn(RunningEffects.Running, Result<[Value], TaskError>)
}

extension Engine {
  /// What starting a function costs, in instructions: its coroutine counts anew.
  private static let instructionsPerFunction = 1_000
  /// How deep `all` and `race` may be nested.
  static let deepestGroup = 1_000

  /// An effect waits for so many functions.
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

  private func begin(_ branch: Branch) {
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

  /// There is no room for as many functions to wait.
  private func refuseCount(_ parent: RunningEffects.Running) {
    let count = parent.joinGroup?.count ?? 0
    refuse(parent, "\(count) functions at once are too many: \(limits.effects) effects may wait")
  }

  private func refuse(_ parent: RunningEffects.Running, _ reason: String) {
    end(parent, .failure(TaskError(message: reason)))
  }

  /// A function has come to its end, or has raised an error.
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

  /// Stops the functions that still wait, and goes on with who waited for them.
  private func end(_ parent: RunningEffects.Running, _ answer: Result<[Value], TaskError>) {
    stopFunctions(of: parent, because: "another function ended first")
    effects.steps.append(.goOn(parent, answer))
  }

  /// Nobody waits for its functions any more.
  func stopFunctions(of running: RunningEffects.Running, because reason: String) {
    guard let joinGroup = running.joinGroup else { return }
    running.joinGroup = nil
    joinGroup.isOver = true
    for number in joinGroup.waiting.sorted() { drop(number, because: reason) }
  }
}

extension RunningEffects.Running {
  /// Who gets what it returns.
  package var receiver: TaskResultReceiver {
    if let branch, let task = branch.parent.task {
      return .waiting(task, function: branch.number)
    }
    return effect.onDone == nil ? .nobody : .host
  }
}
