import FlowKernel
import LuaRuntime

/// Responses of an `http` capability.
extension HTTPOptions {
  /// Returns the meaning of a response.
  func reading(_ response: HTTPTaskResponse, _ context: CallContext) -> HTTPReading {
    switch response {
    case .interrupted: return .outcome(.interrupted)
    case .failed(let reason): return .outcome(context.failure(reason, isFinal: false))
    case .refused(let reason): return .outcome(.dead(context.hiding(reason)))
    case .received(let status, let headers, let body):
      let isFine = (200..<300).contains(status)
      if isFine, callback != nil { return .outcome(.accepted) }
      guard isFine || answers.contains(status) else {
        return .outcome(failure(status, headers, body, context))
      }
      do throws(CallFault) {
        return .content(try HTTPContent(status: status, headers: headers, body: body))
      } catch {
        return .outcome(.dead(context.hiding(error.description)))
      }
    }
  }

  private func failure(
    _ status: Int, _ headers: [HTTPTaskHeader], _ body: [UInt8], _ context: CallContext
  ) -> PerformedOutcome {
    let excerpt = context.excerpt(of: body)
    let text = excerpt.isEmpty ? "\(status)" : "\(status) \(excerpt)"
    if status == 401 || status == 407 {
      return .dead("the server does not accept the credentials: \(text)")
    }
    let isRetryable =
      [408, 425, 429].contains(status) || (500..<600).contains(status)
      || status == 409 && context.isRepeated
    let after = isRetryable ? headers.retryAfter(now: context.now) : nil
    return context.failure(text, isFinal: !isRetryable, status: status, after: after)
  }
}
