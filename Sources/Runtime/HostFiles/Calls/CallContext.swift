import FlowKernel
import LuaRuntime
import Platform

/// The circumstances of a call that the server makes itself.
struct CallContext: Sendable {
  /// The name of the capability, with which messages begin.
  let name: String
  /// True if an earlier attempt of the same call may still be in progress.
  let isRepeated: Bool
  /// The time in seconds since 1970.
  let now: Double
  /// Hides texts that must not be shown.
  let hiding: @Sendable (String) -> String
  /// The length in bytes of the longest text to hide.
  let longestHidden: Int

  /// The greatest part of a body or of an output that messages show, in bytes.
  private static let longestExcerpt = 1 << 10

  /// Makes the context of a call.
  ///
  /// - Parameter now: the time in seconds since 1970.
  init(name: String, isRepeated: Bool, now: Double, texts: HostTexts) {
    (self.name, self.isRepeated, self.now) = (name, isRepeated, now)
    hiding = { texts.hiding($0) }
    longestHidden = texts.longest
  }

  /// Makes the context of an attempt, which begins now.
  init(of task: PerformedTask, name: String, texts: HostTexts) {
    self.init(
      name: name, isRepeated: task.task.tryNumber > 1 || task.attempt > 1,
      now: Date().timeIntervalSince1970, texts: texts)
  }

  /// Returns the failure of the call.
  func failure(
    _ reason: String, isFinal: Bool, status: Int? = nil, after: Double? = nil
  ) -> PerformedOutcome {
    .answered(
      .failure(
        CallFailure(
          message: "\(name): \(hiding(reason))", isFinal: isFinal, status: status, after: after)))
  }

  /// Returns the beginning of a body or an output on one line.
  func excerpt(of body: [UInt8]) -> String {
    // Hidden before it is cut, so that no part of such a text is left; one that reaches beyond the end goes with it.
    let start = body.prefix(4 * CallContext.longestExcerpt + longestHidden)
    var text = hiding(String(decoding: start, as: UTF8.self))
    if start.count < body.count {
      // A character that was cut is decoded as one of three bytes.
      text = text.prefix(bytes: max(0, text.utf8.count - longestHidden - 2))
    }
    let words = text.unicodeScalars.split {
      $0.properties.isWhitespace || $0.properties.generalCategory == .control
    }
    let line = words.map { String($0) }.joined(separator: " ")
    return line.prefix(bytes: CallContext.longestExcerpt)
  }
}
