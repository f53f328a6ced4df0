import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// The performer of an `http` capability: makes the request, and reads the response.
struct HTTPPerformer: Sendable {
  /// The greatest size of the text of a failure, in bytes.
  private static let longestError = 4 << 10

  let capability: HostCapability
  let options: HTTPOptions
  let sender: any HTTPSender
  let functions: HostFunctions
  let patterns: HostFilePatterns
  let texts: HostTexts
  /// The longest time for which the function `response` waits for a VM, in seconds.
  ///
  /// The wait of `request` is a part of the request's time.
  var patience = 30.0

  /// The performer as the journal's tasks know it.
  var performer: LocalPerformer {
    let longest = options.timeout + (options.hasResponse ? patience : 0)
    return LocalPerformer(
      atOnce: options.atOnce, timeout: EngineTime.microseconds(longest),
      perform: { await perform($0) })
  }

  private func perform(_ task: PerformedTask) async -> PerformedOutcome {
    let context = CallContext(of: task, name: capability.name, texts: texts)
    do {
      let request = try await request(for: task)
      switch options.reading(await sender.send(request), context) {
      case .outcome(let outcome): return outcome
      case .content(let content): return await outcome(of: content, context)
      }
    } catch let failure as HTTPFunctionFailure {
      return outcome(of: failure, nil, context)
    } catch {
      return .dead(texts.hiding("\(error)"))
    }
  }

  /// Calls a function among the capability's options.
  ///
  /// - Parameter patience: the longest time for which it waits for a VM, in seconds.
  private func run(
    _ option: String, _ arguments: [Value], patience: Double
  ) async throws(HTTPFunctionFailure) -> Value {
    let function = HostFunction(name: "\(capability.title).\(option)")
    do {
      return try await functions.call(
        function, arguments, patience: .seconds(patience)
      ).first ?? .nil
    } catch let error as ScriptError {
      throw HTTPFunctionFailure(error, option, of: capability)
    } catch is HostFunctions.Busy {
      throw .busy
    } catch is CancellationError {
      throw .interrupted
    } catch {
      throw .broken("the host file could not be loaded again: \(error)")
    }
  }

  // MARK: The request

  private func request(for task: PerformedTask) async throws -> HTTPTaskRequest {
    let call = HostCall(
      arguments: capability.ordered(task.task.arguments), id: task.task.call, caseID: task.caseID,
      scopeKey: task.task.scopeKey)
    guard options.hasRequest else { return try options.request(for: call) }
    let begin = ContinuousClock.now
    let made = try await run(
      "request", [task.task.arguments, .string(call.id)], patience: options.timeout)
    let left = options.timeout - (ContinuousClock.now - begin) / .seconds(1)
    if left <= 0 { throw HTTPFunctionFailure.busy }
    do throws(CallFault) {
      return try options.request(
        for: call, made.isNil ? nil : HTTPRequestParts(made),
        within: min(options.timeout, left.rounded(.up)))
    } catch {
      throw HTTPFunctionFailure.broken("\(capability.place): \(error)")
    }
  }

  // MARK: The result

  private func outcome(
    of content: HTTPContent, _ context: CallContext
  ) async -> PerformedOutcome {
    let value: Value
    do throws(HTTPFunctionFailure) {
      value = try await result(of: content)
    } catch {
      return outcome(of: error, content, context)
    }
    let checked = capability.checked(result: value, patterns)
    guard case .fits(let filled) = checked else {
      return .dead(texts.hiding(checked.fault ?? ""))
    }
    return .answered(.answer(filled))
  }

  private func result(
    of content: HTTPContent
  ) async throws(HTTPFunctionFailure) -> Value {
    if options.hasResponse {
      return try await run(
        "response", [.integer(content.status), content.body, content.headerFields],
        patience: patience)
    }
    guard options.wrapsResult else { return content.body }
    var result: [String: Value] = ["status": .integer(content.status)]
    if !content.body.isNil { result["body"] = content.body }
    return .record(result)
  }

  /// Returns the outcome of a call whose function has failed.
  ///
  /// - Parameter content: the response that the function has read; nil if it was to make the request.
  private func outcome(
    of failure: HTTPFunctionFailure, _ content: HTTPContent?,
    _ context: CallContext
  ) -> PerformedOutcome {
    switch failure {
    case .interrupted: return .interrupted
    case .busy:
      // The call is made again under the same id: its outcome is not known yet.
      if content != nil { return .interrupted }
      let time = DurationText.text(options.timeout)
      return context.failure(
        "the functions of the host file were busy for \(time)", isFinal: false)
    case .broken(let reason): return .dead(texts.hiding(reason))
    case .failed(let message, let isRetryable):
      let after = content?.headers.retryAfter(now: context.now)
      return context.failure(
        texts.hiding(message).prefix(bytes: HTTPPerformer.longestError),
        isFinal: !isRetryable, status: content?.status, after: isRetryable ? after : nil)
    }
  }
}
