import FlowKernel
import LuaRuntime

/// Responses of an `http` capability.
extension HTTPOptions {
  /// The circumstances of a response.
  struct Context: Sendable {
    /// The name of the capability, with which messages begin.
    let name: String
    /// True if an earlier request of the same call may still be in progress.
    let isRepeated: Bool
    /// The time in seconds since 1970.
    let now: Double
    /// Hides texts that must not be shown.
    let hiding: @Sendable (String) -> String
    /// The length in bytes of the longest text to hide.
    let longestHidden: Int

    func failure(
      _ reason: String, isFinal: Bool, status: Int? = nil, after: Double? = nil
    ) -> PerformedOutcome {
      .answered(
        .failure(
          CallFailure(
            message: "\(name): \(hiding(reason))", isFinal: isFinal, status: status, after: after)))
    }
  }

  /// The greatest part of a body that messages show, in bytes.
  private static let longestExcerpt = 1 << 10

  /// Returns the meaning of a response.
  func reading(_ response: HTTPTaskResponse, _ context: Context) -> HTTPReading {
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
      do throws(HTTPFault) {
        return .content(try HTTPContent(status: status, headers: headers, body: body))
      } catch {
        return .outcome(.dead(context.hiding(error.description)))
      }
    }
  }

  private func failure(
    _ status: Int, _ headers: [HTTPTaskHeader], _ body: [UInt8], _ context: Context
  ) -> PerformedOutcome {
    let excerpt = HTTPOptions.excerpt(of: body, context)
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

  /// Returns the beginning of a body on one line.
  static func excerpt(of body: [UInt8], _ context: Context) -> String {
    // Hidden before it is cut, so that no part of such a text is left; one that reaches beyond the end goes with it.
    let start = body.prefix(4 * longestExcerpt + context.longestHidden)
    var text = context.hiding(String(decoding: start, as: UTF8.self))
    if start.count < body.count {
      // A character that was cut is decoded as one of three bytes.
      text = text.prefix(bytes: max(0, text.utf8.count - context.longestHidden - 2))
    }
    let words = text.unicodeScalars.split {
      $0.properties.isWhitespace || $0.properties.generalCategory == .control
    }
    let line = words.map { String($0) }.joined(separator: " ")
    return line.prefix(bytes: longestExcerpt)
  }
}
