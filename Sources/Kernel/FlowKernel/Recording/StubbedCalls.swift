import LuaRuntime

/// A stub at work: it answers a call of a durable effect, or of a function of it.
package final class StubRun {
  /// The number of the call.
  package let call: Int
  /// Its records from before a restart, the next first, as long as it asks for the same.
  ///
  /// A stub is no part of the flow: it may be another one now.
  package var again: ArraySlice<EffectLog.Item>
  /// The position of the effect's calls when it began.
  let position: CallPosition

  init(call: Int, again: [EffectLog.Item], position: CallPosition) {
    (self.call, self.again, self.position) = (call, again[...], position)
  }

  /// Removes and returns the next record, if the stub asks for that.
  func takeNext(where isAsked: (EffectLog.Item) -> Bool) -> EffectLog.Item? {
    again = again.drop { if case .printed = $0 { true } else { false } }
    guard let next = again.first, isAsked(next) else {
      again = []
      return nil
    }
    return again.popFirst()
  }
}

/// Calls of capabilities that a scenario or a prompt answers, for durable effects.
///
/// They are recorded as a host's are: what was answered is told again after a restart, and nobody answers a second time,
/// whether there is such a stub then or not. What a stub does itself (it may sleep, and ask for the time) is no question
/// of the effect's; where a restart finds it at that, it is called again, and sleeps no longer than it would have.
///
/// `tools.lua` asks them for it (`host.remembering`).
package final class StubbedCalls {
  private unowned let engine: Engine
  private var last = 0

  package init(_ engine: Engine) { self.engine = engine }

  package typealias Answer = @Sendable (StubbedCalls, [Value]) throws -> HostAnswer

  /// What the prelude asks, by the names that it has there.
  package static let functions: [(name: String, answer: Answer)] = [
    ("stub_is_recorded", { stubs, _ in .values([.boolean(stubs.isRecorded)]) }),
    ("stub_called", { try $0.begin($1) }),
    (
      "stub_answered",
      { stubs, arguments in
        try stubs.end(arguments)
        return .values([])
      }
    ),
  ]

  /// Has a VM's prelude ask them.
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

  /// capability, arguments: "told", whether without an error, and what was told before, or "new" and the call's number;
  /// either comes later where others are to be told something first.
  private func begin(_ arguments: [Value]) throws -> HostAnswer {
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

  /// The call's number, whether it was answered without an error, the answer or the error.
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
