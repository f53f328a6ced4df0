import LuaRuntime
import Moonlatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A flow that is played line by line. What goes wrong in a line leaves the session as it was.
final class Session {
  enum Answer {
    /// More input is needed.
    case incomplete
    /// What to print.
    case answer(String)
    /// What went wrong.
    case error(String)
  }

  let name: String
  private let engine: Engine
  private var lines: [String] = []

  /// How many instructions one line may use.
  private static let budget = 1_000_000_000

  init(flow: URL, name: String) throws {
    engine = try Engine(
      sources: FlowSources(file: flow, displayName: name), limits: Limits(),
      log: ScriptLog { Terminal.writeOutput("| \($0)\n") })
    self.name = Session.shortName(name)
    let prelude = try engine.vm.load(
      PackageResources.session_lua, name: "=[moonlatch]", trusted: true)
    try engine.vm.provide("session_dispatch") { [unowned self] in
      try dispatch($0)
      return []
    }
    try engine.vm.provide("session_action") { [unowned self] in
      [.boolean(engine.flow.action(named: $0.first?.stringValue ?? "") != nil)]
    }
    try engine.vm.call(prelude, phase: .script, budget: Session.budget)
  }

  var revision: Int { engine.revision }
  var actionNames: [String] { engine.flow.actionNames }

  private static func shortName(_ path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.hasSuffix(".lua") ? String(file.dropLast(4)) : file
  }

  /// Evaluates an action, an expression or a statement.
  func evaluate(_ text: String) -> Answer {
    lines = []
    do {
      let results = try engine.vm.call(
        engine.vm.preludeFunction("session_evaluate"), [.string(text)], phase: .script,
        budget: Session.budget)
      switch results.first?.stringValue {
      case "incomplete": return .incomplete
      case "syntax": return .error((lines + results.dropFirst().compactMap(\.stringValue)).joined(separator: "\n"))
      default: return .answer((lines + results.dropFirst().compactMap(\.stringValue)).joined(separator: "\n"))
      }
    } catch {
      return .error((lines + [error.description]).joined(separator: "\n"))
    }
  }

  /// Dispatches and notes what there is to print. A failure is an error of the line.
  private func dispatch(_ arguments: [Value]) throws {
    let action = arguments.first?.stringValue ?? ""
    switch engine.dispatch(action, arguments.count > 1 ? arguments[1] : [:]) {
    case .passed(let transition):
      lines.append("#\(transition.revision) \(action)")
      lines += transition.patch.changes.map { "  \($0)" }
    case .refused(let refusal): lines.append("\(refusal)  [\(refusal.place)]")
    case .failed(let failure): throw DispatchFailed(description: failure.description)
    }
  }

  private struct DispatchFailed: Error, CustomStringConvertible {
    let description: String
  }
}
