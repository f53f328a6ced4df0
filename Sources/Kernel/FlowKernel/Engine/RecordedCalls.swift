import LuaRuntime

/// The calls of capabilities in a transcript that is replayed: their answers come from here, and no capability is
/// called.
package struct RecordedCalls {
  private struct Call {
    let line: Int
    let capability: String
    let arguments: [Value]
    let answer: Transcript.Answer?
  }

  private var calls: [Int: Call] = [:]
  /// The numbers of the calls that were answered later.
  private var answered: Set<Int> = []
  /// True if every call is accepted and none is answered.
  private var isSilent = false
  /// The line of the entry that is being replayed.
  package var line = 1
  /// The recorded sender of the next action; nil if none is recorded.
  package var speaker: String?
  /// The first difference of the replay.
  package private(set) var difference: Transcript.Difference?

  package init(_ transcript: Transcript) {
    for (index, entry) in transcript.entries.enumerated() {
      if case .answer(let number, _) = entry { answered.insert(number) }
      guard case .call(let number, let capability, let arguments, let answer) = entry else {
        continue
      }
      calls[number] = Call(
        line: index + 2, capability: capability, arguments: arguments, answer: answer)
    }
  }

  /// A record in which every call is accepted, and none is answered.
  package static var silent: RecordedCalls {
    var calls = RecordedCalls()
    calls.isSilent = true
    return calls
  }

  private init() {}

  /// Returns true if there are calls of the capability, such as `root.fetch`.
  package func has(_ capability: String) -> Bool {
    isSilent || calls.values.contains { $0.capability == capability }
  }

  /// Returns true if the record has an answer that came after the call.
  func isAnswered(_ number: Int) -> Bool { answered.contains(number) }

  mutating func takeSpeaker() -> String? {
    defer { speaker = nil }
    return speaker
  }

  package mutating func note(_ difference: Transcript.Difference) {
    if self.difference == nil { self.difference = difference }
  }

  /// Returns the immediate answer to a call; nil if the answer came later.
  ///
  /// - Throws: `ScopeRefusal` if the flow makes another call than the recorded one.
  package mutating func answer(
    to number: Int, _ capability: String, _ arguments: [Value]
  ) throws(ScopeRefusal) -> Transcript.Answer? {
    if isSilent { return nil }
    let now = RecordedCalls.text(capability, arguments)
    guard let call = calls[number] else {
      note(.init(.call, line: line, action: capability, then: "", now: now))
      throw ScopeRefusal(
        "\(capability) is not called: the record that is replayed has no such call")
    }
    guard call.capability == capability, call.arguments == arguments else {
      let then = RecordedCalls.text(call.capability, call.arguments)
      note(.init(.call, line: call.line, action: capability, then: then, now: now))
      throw ScopeRefusal(
        "\(capability) is not called: the record that is replayed has \(then) in its place")
    }
    return call.answer
  }

  /// Records that an answer came to a call for which nothing waits.
  mutating func noteUnwanted(_ number: Int) {
    guard let call = calls[number] else { return }
    note(
      .init(
        .call, line: line, action: call.capability,
        then: RecordedCalls.text(call.capability, call.arguments), now: ""))
  }

  private static func text(_ capability: String, _ arguments: [Value]) -> String {
    "\(capability)(\(arguments.map { $0.text(limit: 60) }.joined(separator: ", ")))"
  }
}
