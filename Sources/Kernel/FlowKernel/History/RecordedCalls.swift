import LuaRuntime

/// The calls of capabilities that a transcript holds, while it is replayed: answers come from here, and
/// nobody is called.
package struct RecordedCalls {
  private struct Call {
    let line: Int
    let capability: String
    let arguments: [Value]
    let answer: Transcript.Answer?
  }

  private var calls: [Int: Call] = [:]
  /// Whether each call is one that is never answered.
  private var isSilent = false
  /// The line of the entry that is being replayed.
  package var line = 1
  /// Who offers the next action, where that is recorded.
  package var speaker: String?
  /// Where the replay first came out differently.
  package private(set) var difference: Transcript.Difference?

  package init(_ transcript: Transcript) {
    for (index, entry) in transcript.entries.enumerated() {
      guard case .call(let number, let capability, let arguments, let answer) = entry else {
        continue
      }
      calls[number] = Call(
        line: index + 2, capability: capability, arguments: arguments, answer: answer)
    }
  }

  /// A record in which everything is called, and nothing answers.
  package static var silent: RecordedCalls {
    var calls = RecordedCalls()
    calls.isSilent = true
    return calls
  }

  private init() {}

  /// Whether there are calls of the capability, `root.fetch`.
  package func has(_ capability: String) -> Bool {
    isSilent || calls.values.contains { $0.capability == capability }
  }

  mutating func takeSpeaker() -> String? {
    defer { speaker = nil }
    return speaker
  }

  package mutating func note(_ difference: Transcript.Difference) {
    if self.difference == nil { self.difference = difference }
  }

  /// What was answered at once to this call; nil where the answer came later.
  ///
  /// - Throws: what is raised where the flow asks for something else.
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

  /// An answer came to a call that nothing waits for.
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
