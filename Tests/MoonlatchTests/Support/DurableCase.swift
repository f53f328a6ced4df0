import Foundation
import LuaRuntime
import Platform

@testable import FlowHosting
@testable import FlowKernel

/// A case whose process is restarted, for tests of its durable effects.
final class DurableCase {
  /// The capabilities that the host lends, and its reports.
  final class Heard: Sendable {
    private let lines = Mutex<(calls: [String], prints: [String], reports: [String])>(([], [], []))
    var calls: [String] { lines.withLock(\.calls) }
    var prints: [String] { lines.withLock(\.prints) }
    var reports: [String] { lines.withLock(\.reports) }
    func called(_ call: String) { lines.withLock { $0.calls.append(call) } }
    func printed(_ line: String) { lines.withLock { $0.prints.append(line) } }
    func reported(_ line: String) { lines.withLock { $0.reports.append(line) } }
  }

  let heard = Heard()
  private(set) var journal = MemoryJournal()
  private(set) var host: FlowHost

  /// Begins a case of a flow.
  init(_ flow: String) throws { host = try DurableCase.host(flow, journal, heard) }

  /// The process ends, and another goes on with a text.
  func restart(_ flow: String) throws {
    journal = journal.restarted()
    host = try DurableCase.host(flow, journal, heard)
  }

  /// How durable effects under way deviate from what was recorded, by a text that takes the case over.
  func deviations(under flow: String) throws -> [String] {
    try EngineCase.deviations(
      of: "c", under: LoadedFlow(source: flow, name: "f.lua"), in: journal.restarted(),
      options: HostOptions(print: { _ in }, report: { _ in }))
  }

  private static func host(
    _ flow: String, _ journal: MemoryJournal, _ heard: Heard
  ) throws -> FlowHost {
    try FlowHost(
      LoadedFlow(source: flow, name: "f.lua"), journal: journal, case: "c",
      options: HostOptions(
        clock: .virtual, print: { heard.printed($0) }, report: { heard.reported("\($0)") })
    ) { scopes in
      for name in ["a", "b", "c"] {
        scopes.root.provide(name) { (what: Value) -> String in
          heard.called("\(name)(\(what))")
          return name.uppercased()
        }
      }
    }
  }
}
