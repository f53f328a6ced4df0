import LuaRuntime

/// What gates say of an action in a state that is explored.
package enum ExploredJudgement: Sendable {
  /// It passes, by these ways of machines.
  case passes(plan: String)
  case refused(Refusal)
  /// It takes more than to ask gates.
  case undecided
}

/// An action with its payload, made ready to ask its gates about it in many states.
package struct ExploredQuestion {
  fileprivate let action: LoadedAction
  /// The payload, encoded; nothing for `{}`.
  fileprivate let payload: [UInt8]
  /// Whether gates say the same of the action whatever its payload.
  package let isAlike: Bool

  /// What its gates say in short.
  package enum Answer {
    /// It passes, and machines have no say in it.
    case passes
    /// The rule of that number refuses it, for the reason that `judgedReason` tells.
    case refused(rule: Int)
    /// It takes more than to ask rules.
    case other
  }
}

/// Gates alone, asked of a state that is explored, which leaves the state as it is.
extension Engine {
  /// Asks gates alone.
  package func judge(_ name: String, _ payload: Value) -> ExploredJudgement {
    guard let instrumentation, recordMachines.isEmpty else { return .undecided }
    beginJudging()
    vm.beginWork(.dispatch, budget: budget)
    defer { vm.endWork() }
    if flow.scopes.count > 1 { _ = try? workOutKeys() }
    do throws(Rejection) {
      let plan = try evaluateRules(prepare(name, payload, nil).takeUnretainedValue(), nil)
      guard isJudged(by: instrumentation), let title = plan.title else { return .undecided }
      return .passes(plan: title)
    } catch {
      guard case .refused(let refusal) = error, isJudged(by: instrumentation) else {
        return .undecided
      }
      return .refused(refusal)
    }
  }

  /// Nothing is known of the state yet.
  package func beginJudging() {
    instrumentation?.begin(draws: [])
    hasReadClock = false
    caseState.queue.outsideCame()
    vm.resetReaders()
  }

  /// Whether a judgement follows from the state alone.
  private func isJudged(by instrumentation: RunInstrumentation) -> Bool {
    instrumentation.outcomes.isEmpty && instrumentation.problem == nil && !hasReadClock
  }

  /// A question about an action in which rules of the flow alone have a say; nil for any other.
  package func question(_ name: String, _ payload: Value) -> ExploredQuestion? {
    guard hostRules == nil, instrumentation != nil, recordMachines.isEmpty, flow.scopes.count <= 1,
      let action = action(named: name)?.takeUnretainedValue(), action.isPlain
    else { return nil }
    do throws(Rejection) {
      _ = try prepare(name, payload, nil)
    } catch {
      return nil
    }
    return ExploredQuestion(
      action: action, payload: action.takesNothing ? [] : scratch.payload.writer.bytes,
      isAlike: action.rules.allSatisfy { $0.function.parameters < 2 })
  }

  /// Asks it of the state in which the engine stands, between `beginJudging` and whatever changes that.
  package func ask(_ question: ExploredQuestion) -> ExploredQuestion.Answer {
    guard let instrumentation else { return .other }
    if question.payload.isEmpty {
      guard (try? vm.setEmptyPayload()) != nil else { return .other }
    } else {
      guard (try? vm.setPayload(encoded: question.payload, limit: limits.payload)) != nil else {
        return .other
      }
    }
    vm.beginWork(.dispatch, budget: budget)
    defer { vm.endWork() }
    var answer = ExploredQuestion.Answer.passes
    asking: for rule in question.action.calls.indices {
      let (reference, name) = question.action.calls[rule]
      switch vm.askRule(reference, name: name, budget: budget) {
      case true?: continue
      case false?: answer = .refused(rule: rule)
      case nil: answer = .other
      }
      break asking
    }
    guard isJudged(by: instrumentation) else {
      beginJudging()
      return .other
    }
    return answer
  }

  /// Why a rule has refused last, valid until another one is asked; empty where it gave no reason.
  package var judgedReason: UnsafeRawBufferPointer { vm.ruleReason }

  /// The refusal that the last answer stands for.
  package func refusal(_ question: ExploredQuestion, rule: Int) -> Refusal {
    let function = question.action.rules[rule].function
    let reason = judgedReason.isEmpty ? nil : String(decoding: judgedReason, as: UTF8.self)
    return Refusal(
      action: question.action.name, rejectedBy: .gate(function.name), reason: reason,
      place: function.place)
  }
}
