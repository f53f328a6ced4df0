import LuaRuntime

/// The verdict of gates on an action in an explored state.
package enum ExploredJudgement: Sendable {
  /// The action passes, by these transitions of machines.
  case passes(plan: String)
  case refused(Refusal)
  /// The verdict does not follow from gates and state alone.
  case undecided
}

/// An action with its payload, prepared to ask its gates in many states.
package struct ExploredQuestion {
  fileprivate let action: LoadedAction
  /// The encoded payload; empty for `{}`.
  fileprivate let payload: [UInt8]
  /// True if the gates' verdict does not depend on the payload.
  package let isAlike: Bool

  /// The short verdict of the gates.
  package enum Answer {
    /// The action passes, and machines do not affect it.
    case passes
    /// The rule of that number refuses it, for the reason in `judgedReason`.
    case refused(rule: Int)
    /// The verdict does not follow from rules and state alone.
    case other
  }
}

/// Asks gates alone in an explored state, without changing it.
extension Engine {
  /// Returns the verdict of the gates.
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

  /// Prepares for judging: discards all that is known of the current state.
  package func beginJudging() {
    instrumentation?.begin(draws: [])
    hasReadClock = false
    caseState.queue.outsideCame()
    vm.resetReaders()
  }

  /// Returns true if a judgement follows from the state alone.
  private func isJudged(by instrumentation: RunInstrumentation) -> Bool {
    instrumentation.outcomes.isEmpty && instrumentation.problem == nil && !hasReadClock
  }

  /// Returns a prepared question about an action that only rules of the flow affect; nil for any other action.
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

  /// Answers a question in the current state; `beginJudging` must have been called since the state changed.
  package func ask(_ question: ExploredQuestion) -> ExploredQuestion.Answer {
    guard let instrumentation else { return .other }
    if question.payload.isEmpty {
      guard (try? vm.setEmptyPayload(question.action.payloadShape)) != nil else { return .other }
    } else {
      let shape = question.action.payloadShape
      guard
        (try? vm.setPayload(encoded: question.payload, shape: shape, limit: limits.payload)) != nil
      else { return .other }
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

  /// The reason of the latest refusal by a rule, valid until another rule is asked; empty if it gave none.
  package var judgedReason: UnsafeRawBufferPointer { vm.ruleReason }

  /// Returns the refusal that corresponds to the latest answer.
  package func refusal(_ question: ExploredQuestion, rule: Int) -> Refusal {
    let function = question.action.rules[rule].function
    let reason = judgedReason.isEmpty ? nil : String(decoding: judgedReason, as: UTF8.self)
    return Refusal(
      action: question.action.name, rejectedBy: .gate(function.name), reason: reason,
      place: function.place)
  }
}
