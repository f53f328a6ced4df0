import FlowKernel
import LuaRuntime

/// The performer of a `command` capability: runs the program, and reads its output.
struct CommandPerformer: Sendable {
  /// The exit code with which a program asks for another try: `EX_TEMPFAIL` of `sysexits.h`.
  private static let retryable = 75

  let capability: HostCapability
  let options: CommandOptions
  let runner: any CommandRunner
  let patterns: HostFilePatterns
  let texts: HostTexts

  /// The performer as the journal's tasks know it.
  ///
  /// A program that is ended after its time has some more to clean up, in which nobody else may be given the task.
  var performer: LocalPerformer {
    LocalPerformer(
      atOnce: options.atOnce,
      timeout: EngineTime.microseconds(options.timeout + CommandOptions.grace),
      perform: { await perform($0) })
  }

  private func perform(_ task: PerformedTask) async -> PerformedOutcome {
    let call = HostCall(
      arguments: capability.ordered(task.task.arguments), id: task.task.call, caseID: task.caseID,
      scopeKey: task.task.scopeKey)
    let request: CommandTaskRequest
    do throws(CallFault) {
      request = try options.request(for: call)
    } catch {
      return .dead(texts.hiding(error.description))
    }
    let context = CallContext(of: task, name: capability.name, texts: texts)
    switch await runner.run(request) {
    case .interrupted: return .interrupted
    case .failed(let reason): return context.failure(reason, isFinal: false)
    case .refused(let reason): return .dead(texts.hiding(reason))
    case .signaled(let signal, let error):
      return failure("signal \(signal)", error, isFinal: false, context)
    case .exited(0, let output, _): return outcome(of: output)
    case .exited(let code, _, let error):
      return failure(
        "exit \(code)", error, isFinal: code != CommandPerformer.retryable, status: code, context)
    }
  }

  private func failure(
    _ reason: String, _ error: [UInt8], isFinal: Bool, status: Int? = nil, _ context: CallContext
  ) -> PerformedOutcome {
    let excerpt = context.excerpt(of: error)
    let text = excerpt.isEmpty ? reason : "\(reason): \(excerpt)"
    return context.failure(text, isFinal: isFinal, status: status)
  }

  // MARK: The result

  /// Returns the outcome of an output: JSON as a value, another text as a string, nothing as none.
  private func outcome(of output: [UInt8]) -> PerformedOutcome {
    guard let whole = String(validating: output, as: UTF8.self) else {
      return .dead("the output is not UTF-8 text")
    }
    let text = CommandPerformer.withoutLastLineBreak(whole)
    if text.isEmpty { return outcome(of: .nil) }
    guard let value = try? JSONText.value(of: text) else { return outcome(of: .string(text)) }
    let outcome = outcome(of: value)
    // A text may look like JSON, such as a name that is all digits.
    if capability.result != nil, case .dead = outcome,
      case .answered(let answer) = self.outcome(of: .string(text))
    {
      return .answered(answer)
    }
    return outcome
  }

  private func outcome(of value: Value) -> PerformedOutcome {
    let checked = capability.checked(result: value, patterns)
    guard case .fits(let filled) = checked else {
      return .dead(texts.hiding(checked.fault ?? ""))
    }
    return .answered(.answer(filled))
  }

  private static func withoutLastLineBreak(_ text: String) -> String {
    var scalars = text.unicodeScalars
    guard scalars.last == "\n" else { return text }
    scalars.removeLast()
    if scalars.last == "\r" { scalars.removeLast() }
    return String(scalars)
  }
}
