import FlowKernel
import FlowTools
import LuaRuntime

/// The word `given` at the prompt: the initial situation, as scenarios set it.
extension Session {
  /// Sets what a call of `given` says.
  ///
  /// Arguments: the kind, then the arguments of the call.
  func give(_ arguments: [Value]) throws {
    let values = Array(arguments.dropFirst())
    switch arguments.first?.stringValue {
    case "state":
      guard case .record(let fields)? = values.first, !fields.isEmpty else {
        throw CommandError("given takes fields of the state: given { field = value }")
      }
      try engine.flow.types.requireMaps(at: engine.vm.unnamedMaps)
      try give(.state(.record(fields)))
    case "gatekeeper":
      let options: [String]
      switch values.count > 1 ? values[1] : .nil {
      case .string("free"), .nil: options = []
      case .string(let option): options = [option]
      case let list: options = (list.listValue ?? []).compactMap(\.stringValue)
      }
      try give(.gatekeeper(values.first?.stringValue ?? "", options: options))
    case "random":
      let draws = values.first?.listValue ?? []
      guard !draws.isEmpty, draws.allSatisfy(Session.isNumber) else {
        throw CommandError("given.random takes the numbers that are drawn: given.random { 3, 1 }")
      }
      try give(.random(draws))
    default:
      guard let time = values.first?.stringValue else {
        throw CommandError("given.born takes a time: given.born(\"2026-11-27T10:00:00Z\")")
      }
      try give(.born(time))
    }
  }

  private static func isNumber(_ value: Value) -> Bool {
    switch value {
    case .integer, .number: true
    default: false
    }
  }

  /// Sets a part of the initial situation, and reports what it has changed.
  func give(_ given: Transcript.Given) throws {
    let hasBegun = revision > 0 || engine.commit(at: 1) != nil || played.isCutOff
    guard !hasBegun, played.entries.allSatisfy(\.isPreparation) else {
      throw CommandError("given belongs before the first action; :reload reset begins anew")
    }
    let before = try engine.state()
    if let problem = try turn({ engine.give(given) }) { throw CommandError(problem) }
    engine.notify()
    coverage?.note(engine.latestSteps)
    engine.transcribe(.given(given))
    played.add(.init(.given(given), at: engine.time))
    let now = GatekeepersAndScopes(engine)
    let lines =
      difference(from: before, to: try engine.state()) + now.changes(since: beside) + viewChanges()
    beside = now
    told.add(lines.map { "  " + $0 })
    tellWhatIsToCome()
  }
}
