import LuaRuntime

/// A running stub: it answers a call of a durable effect, or of a function of it.
package final class StubRun {
  /// The number of the call.
  package let call: Int
  /// Its records from before a restart, the next one first, as long as the stub asks for the same.
  ///
  /// A stub is no part of the flow, and may have been replaced.
  package var again: ArraySlice<EffectLog.Item>
  /// The position of the effect's calls when the stub began.
  let position: CallPosition

  init(call: Int, again: [EffectLog.Item], position: CallPosition) {
    (self.call, self.again, self.position) = (call, again[...], position)
  }

  /// Removes and returns the next record if the stub asks for it; otherwise discards all records.
  func takeNext(where isAsked: (EffectLog.Item) -> Bool) -> EffectLog.Item? {
    again = again.drop { if case .printed = $0 { true } else { false } }
    guard let next = again.first, isAsked(next) else {
      again = []
      return nil
    }
    return again.popFirst()
  }
}

/// Calls of durable effects that a scenario or a prompt answers.
///
/// They are recorded as a host's calls are: an answer is replayed after a restart and never given a second time, even
/// if there is no such stub any more. The stub's own acts (it may sleep, and ask for the time) are no questions of the
/// effect. A stub that was running at a restart is called again, and does not sleep longer than it would have.
///
/// `tools.lua` uses them (`host.remembering`).
package final class StubbedCalls {
  private unowned let engine: Engine
  private var last = 0

  package init(_ engine: Engine) { self.engine = engine }

  package typealias Answer = @Sendable (StubbedCalls, [Value]) throws -> HostAnswer

  /// The functions that the prelude calls, by their names there.
  package static let functions: [(name: String, answer: Answer)] = [
    ("stub_is_recorded", { stubs, _ in .values([.boolean(stubs.isRecorded)]) }),
    ("stub_called", { try $0.beginCall($1) }),
    (
      "stub_answered",
      { stubs, arguments in
        try stubs.end(arguments)
        return .values([])
      }
    ),
  ]

  /// Provides the functions to the prelude of a VM.
  package func provide(in vm: LuaVM) throws(ScriptError) {
    for (name, answer) in StubbedCalls.functions {
      try vm.provideWaiting(name) { [unowned self] in try answer(self, $0) }
    }
  }

  /// True if the caller is an effect whose answers are recorded, and not a stub.
  private var isRecorded: Bool {
    guard let running = engine.effects.current else { return false }
    return running.root.log != nil && !running.isInsideStub
  }

  /// Begins a call: the arguments are the capability and its arguments.
  ///
  /// Returns "told", true if it did not fail, and the recorded answer; or "new" and the call's number. Either comes
  /// later if others must get their answers first.
  private func beginCall(_ arguments: [Value]) throws -> HostAnswer {
    guard let running = engine.effects.current, let log = running.root.log else {
      return .values(["new", 0])
    }
    if let deviation = log.deviation { throw ScopeRefusal(deviation) }
    let question = EffectLog.Question(
      .call, arguments.first?.stringValue ?? "", arguments.dropFirst()
    ) { engine.text(of: $0, .call, "") }
    switch try engine.recall(question, by: running, log) {
    case .answered(let values): return .values(["told", true] + values)
    case .failed(let refusal): return .values(["told", false, .string(refusal.description)])
    case .raised(let value): return .values(["told", false, value])
    case .later:
      running.awaitsStub = true
      return .wait(["told later"])
    case .unanswered:
      last += 1
      running.stub = StubRun(
        call: last, again: log.takeStub(of: log.function(running.number)),
        position: running.position)
      guard log.isTellingAgain else { return .values(["new", .integer(last)]) }
      running.postponed = .stub(last)
      return .wait(["made later"])
    }
  }

  /// Records the answer to a call.
  ///
  /// The arguments are the call's number, true if it was answered without an error, and the answer or the error.
  private func end(_ arguments: [Value]) throws {
    guard let running = engine.effects.current, let log = running.root.log, arguments.count > 1,
      let stub = running.stub, stub.call == arguments[0].integerValue
    else { return }
    try engine.recordAnswer(
      .stubAnswered(
        function: log.function(running.number), isFine: arguments[1] == true,
        Array(arguments.dropFirst(2))))
    (running.stub, running.position) = (nil, stub.position)
  }
}
