import LuaRuntime
import Moonlatch
import Scenarios

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A flow that is played line by line.
///
/// What goes wrong in a line leaves the session as it was.
final class Session {
  enum Answer: Equatable {
    /// More input is needed.
    case incomplete
    /// The line was evaluated; there may be nothing to print.
    case value(String)
    /// What went wrong.
    case error(String)
  }

  /// The flow's name, for the prompt.
  let name: String
  /// How messages name what was typed or piped in.
  let input: String
  private let engine: Engine
  private let output: @Sendable (String) -> Void

  /// How many instructions one line may use.
  private static let budget = 1_000_000_000

  /// Loads the flow.
  ///
  /// `output` gets what dispatches and `print` have to tell, as it happens.
  ///
  /// - Throws: `FlowError` or `ScriptError` when the flow cannot be loaded.
  init(
    flow: URL, name: String, input: String, output: @escaping @Sendable (String) -> Void
  ) throws {
    let log = ScriptLog { output("| \($0)") }
    let loaded = try LoadedFlow(
      FlowSources(file: flow, displayName: name), limits: Limits(), log: log)
    engine = try Engine(loaded, limits: Limits(), log: log)
    self.name = Session.shortName(name)
    self.input = input
    self.output = output
    try engine.vm.provide("session_dispatch") { [unowned self] in
      try dispatch($0)
      return []
    }
    try engine.vm.provide("session_action") { [unowned self] in
      [.boolean(engine.flow.action(named: $0.first?.stringValue ?? "") != nil)]
    }
    try FlowLanguage.installAll(in: engine.vm)
    try Session.prelude.run(in: engine.vm, phase: .script, budget: Session.budget)
  }

  private static let prelude = Prelude([PackageResources.session_lua])

  var revision: Int { engine.revision }
  var actionNames: [String] { engine.flow.actionNames }

  private static func shortName(_ path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.hasSuffix(".lua") ? String(file.dropLast(4)) : file
  }

  /// Evaluates an action, an expression or a statement that begins on that line of the input.
  func evaluate(_ text: String, line: Int = 1) -> Answer {
    let numbered = String(repeating: "\n", count: max(0, line - 1))
    do {
      let results = try engine.vm.call(
        engine.vm.preludeFunction("session_evaluate"),
        [.string(text), .string(input), .string(numbered)], phase: .script,
        budget: Session.budget)
      let told = results.dropFirst().compactMap(\.stringValue).joined(separator: "\n")
      return switch results.first?.stringValue {
      case "incomplete": .incomplete
      case "syntax": .error(told)
      default: .value(told)
      }
    } catch {
      return .error(error.report)
    }
  }

  /// Dispatches and tells what came of it.
  ///
  /// A failure is an error of the line.
  private func dispatch(_ arguments: [Value]) throws {
    let action = arguments.first?.stringValue ?? ""
    switch engine.dispatch(action, arguments.count > 1 ? arguments[1] : [:]) {
    case .passed(let transition):
      output("#\(transition.revision) \(action)")
      for change in transition.patch.changes { output("  \(change)") }
    case .refused(let refusal):
      output(refusal.reason == nil ? "\(refusal)" : "\(refusal)  [\(refusal.place)]")
    case .failed(let failure):
      var text = failure.description
      if let patch = failure.patch {
        text += "\n    taken back:"
        for change in patch.changes { text += "\n      \(change)" }
      }
      throw DispatchFailed(description: text)
    }
  }

  private struct DispatchFailed: Error, CustomStringConvertible {
    let description: String
  }
}
