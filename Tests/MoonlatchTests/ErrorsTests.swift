import FlowHosting
import FlowKernel
import Foundation
import LuaRuntime
import Testing

/// Errors of the library, as a caller catches them.
@Suite struct ErrorsTests {
  /// One of each, made as it comes about.
  private static func errors() throws -> [any Error] {
    var errors: [any Error] = []
    func take(_ body: () throws -> Void) throws {
      do {
        try body()
        Issue.record("nothing was thrown")
      } catch {
        errors.append(error)
      }
    }
    let flow = "state { n = 0 } action.go {} function view.broken(s) return s.n.x end"
    let options = HostOptions(clock: .virtual, report: { _ in })
    let host = try FlowHost(source: flow, options: options)
    try take { _ = try FlowHost(source: "state {") }
    try take { _ = try FlowHost(source: flow) { $0["usr"].provide("a") { 1 } } }
    try take { _ = try FlowHost(source: flow, options: HostOptions(limits: Limits(memory: 1))) }
    try take { try FlowHost(source: flow).advance(1) }
    try take { try host.go(to: 7) }
    try take { try host.reload(.replay) }
    try take { _ = try host.view("nothing") }
    try take { _ = try host.view("broken") }
    try take {
      _ = try FlowHost(source: "state {} action.go {} function view.one() return 1 end")
        .view("one", as: String.self)
    }
    try take { _ = try Transcript(text: "no") }
    try take { _ = try host.open(KeyedScope("none", key: Int.self), with: 1) }
    if case .failed(let failure) = try host.dispatch("gone") { errors.append(failure) }
    try host.stop()
    try take { try host.dispatch("go") }
    try take { _ = try host.view("broken") }
    return errors
  }

  @Test("every error is described by a sentence, and not by its fields")
  func sentences() throws {
    let errors = try Self.errors()
    #expect(errors.count == 14)
    for error in errors {
      let text = "\(error)"
      #expect(!text.isEmpty && text == text.trimmingCharacters(in: .whitespacesAndNewlines))
      let type = String(describing: type(of: error))
      #expect(!text.contains("\(type)("), "\(text)")
      #expect(text.contains(" "), "\(text)")
    }
  }

  @Test("the errors of a call are typed")
  func typed() throws {
    let host = try FlowHost(
      source: "state { n = 1 } action.go {} function view.n(s) return s.n end",
      options: HostOptions(clock: .virtual))
    try host.stop()
    let error = #expect(throws: AgentError.self) { _ = try host.dispatch("go") }
    #expect(error?.description.contains("stopped") == true)
    do throws(ViewError) {
      _ = try host.view("n", as: Int.self)
      Issue.record("a host that was stopped has shown a view")
    } catch {
      guard case .unreachable(.stopped) = error else {
        Issue.record("\(error)")
        return
      }
    }
  }
}
