import LuaRuntime

/// Calls of capabilities that a scenario or a prompt answers: what a durable effect was told by one it is told again after a
/// restart, and nobody answers a second time.
///
/// `tools.lua` asks them for it (`host.remembering`).
package final class StubbedCalls {
  private unowned let engine: Engine
  /// What was asked and is not answered yet, by the number of the call.
  private var calls: [Int: EffectLog.Question] = [:]
  private var last = 0

  package init(_ engine: Engine) { self.engine = engine }

  package typealias Answer = @Sendable (StubbedCalls, [Value]) throws -> [Value]

  /// What the prelude asks, by the names that it has there.
  package static let functions: [(name: String, answer: Answer)] = [
    (
      "stub_is_told_again",
      { stubs, _ in [.boolean(stubs.engine.effects.current?.root.log != nil)] }
    ),
    ("stub_is_recorded", { [.boolean($0.isRecorded($1.first?.stringValue ?? ""))] }),
    ("stub_called", { try $0.begin($1) }),
    (
      "stub_answered",
      { stubs, arguments in
        try stubs.end(arguments)
        return []
      }
    ),
  ]

  /// Has a VM's prelude ask them.
  package func provide(in vm: LuaVM) throws(ScriptError) {
    for (name, answer) in StubbedCalls.functions {
      try vm.provide(name) { [unowned self] in try answer(self, $0) }
    }
  }

  /// Whether the effect at work is told next what that capability answered.
  private func isRecorded(_ capability: String) -> Bool {
    guard case .called(let question)? = engine.effects.current?.root.log?.next else { return false }
    return question.name == capability
  }

  /// capability, arguments: "told" and what was told before, "failed" and the error that was told before, or "new"
  /// and the call's number.
  private func begin(_ arguments: [Value]) throws -> [Value] {
    let capability = arguments.first?.stringValue ?? ""
    let question = EffectLog.Question(capability, arguments.dropFirst())
    last += 1
    let new: [Value] = ["new", .integer(last)]
    calls[last] = question
    guard let log = engine.effects.current?.root.log else { return new }
    if let deviation = log.deviation { throw ScopeRefusal(deviation) }
    try takeMiss(of: capability, log)
    guard let next = log.takeNext() else {
      try engine.tell(.called(question))
      return new
    }
    guard case .called(question) = next else { throw engine.deviation(question, next, log) }
    // What has slept while it answered does so once more.
    guard case .answered(question, let told)? = log.next else { return new }
    _ = log.takeNext()
    calls[last] = nil
    switch told {
    case .success(let values): return ["told"] + values
    case .failure(let refusal): return ["failed", .string(refusal.description)]
    }
  }

  /// Throws where nobody answered for the capability then: that it was looked for in vain is recorded, scope by scope.
  private func takeMiss(of capability: String, _ log: EffectLog) throws(ScopeRefusal) {
    let parts = capability.split(separator: ".", maxSplits: 1).map(String.init)
    let question = EffectLog.Question(parts.last ?? "", ["has"])
    guard case .answered(question, .success([false]))? = log.next else { return }
    var scope = engine.scopes.index(of: parts.first ?? "")
    while let index = scope, case .answered(question, .success([false]))? = log.next {
      _ = log.takeNext()
      scope = engine.flow.scopes[index].parent.flatMap(engine.scopes.index)
    }
    throw ScopeRefusal("scope \(parts.first ?? "") has no \(parts.last ?? "")")
  }

  /// The call's number, whether it was answered without an error, the answer or the error.
  private func end(_ arguments: [Value]) throws {
    guard let log = engine.effects.current?.root.log, arguments.count > 1,
      let question = arguments[0].integerValue.flatMap({ calls.removeValue(forKey: $0) })
    else { return }
    let answer = Array(arguments.dropFirst(2))
    if let next = log.takeNext() {
      guard case .answered(question, _) = next else {
        throw engine.deviation(question, next, log)
      }
      return
    }
    let told: Result<[Value], ScopeRefusal> =
      arguments[1] == true
      ? .success(answer)
      : .failure(ScopeRefusal(answer.first?.stringValue ?? answer.first?.description ?? ""))
    try engine.tell(.answered(question, told))
  }
}
