import FlowHosting
import FlowKernel
import LuaRuntime
import Platform
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

private let course = """
  state { n = 0, greeting = none }
  action.add { by = integer { default = 1 } }
  action.greet { name = string }
  action.greeted { text = string }
  gatekeeper.once { greet = "attempt", greeted = "reset" }
  machine.light { initial = "off", off = { add = "on" }, on = { add = "on", after = { add = 10 } } }
  function reduce.add(s, a) s.n = s.n + a.by end
  function reduce.greeted(s, a) s.greeting = a.text end
  function effect.greet(self, a) dispatch.greeted { text = self:hello(a.name) } end
  function view.n(s) return s.n end
  """

/// Collects lines from any thread.
private final class RecordedLines: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

@Suite struct FlowHostPlayingTests {
  private func host(
    _ source: String = course, keepsTranscript: Bool = false,
    reports: RecordedLines = RecordedLines()
  ) throws -> FlowHost {
    try FlowHost(
      source: source,
      options: HostOptions(
        clock: .virtual, keepsTranscript: keepsTranscript, report: { reports.add("\($0)") })
    ) { scopes in
      scopes.root.provide("hello") { (name: String) in "hello \(name)" }
    }
  }

  @Test("a capability from an ordinary closure answers an effect")
  func capability() throws {
    let host = try host()
    try host.dispatch("greet", ["name": "Ann"])
    #expect(try host.state()["greeting"] == "hello Ann")
  }

  @Test("a wrong argument of a capability is an error in the script that names it")
  func wrongArgument() throws {
    let reports = RecordedLines()
    let host = try host(
      course.replacingOccurrences(of: "self:hello(a.name)", with: "self:hello(7)"),
      reports: reports)
    try host.dispatch("greet", ["name": "Ann"])
    #expect(reports.all.count == 1)
    #expect(reports.all.first?.contains("hello: argument 1 must be a string, got 7") == true)
  }

  @Test("an asynchronous capability suspends only its effect")
  func later() async throws {
    let host = try FlowHost(source: course, options: HostOptions(clock: .virtual)) { scopes in
      scopes.root.provide("hello") { (name: String) async throws -> String in
        await Task.yield()
        return "later \(name)"
      }
    }
    let (answers, continuation) = AsyncStream.makeStream(of: Value.self)
    let subscription = try host.subscribe("n") {
      if case .success(let n) = $0 { continuation.yield(n) }
    }
    try await host.dispatch("greet", ["name": "Ann"])
    try await host.dispatch("add")
    for await n in answers where n == 1 { break }
    while try await host.state()["greeting"] == nil { await Task.yield() }
    #expect(try await host.state()["greeting"] == "later Ann")
    subscription.cancel()
  }

  @Test("capabilities for an undeclared scope are an error with the nearest name")
  func unknownScope() throws {
    #expect(throws: HostError.self) {
      _ = try FlowHost(source: course) { $0["rot"].provide("x") { () in 1 } }
    }
  }

  @Test("a virtual clock advances only on request, and fires timers on the way")
  func virtualClock() throws {
    let host = try host()
    try host.dispatch("add")
    try host.advance(9.5)
    #expect(try host.view("n") == 1)
    try host.advance(0.5)
    #expect(try host.view("n") == 2)
    #expect(try host.commits.last?.cause == 1)
    #expect(try host.commits.last?.time == 10)
    #expect(throws: HostError.self) { try host.advance(-1) }
  }

  @Test("undo and redo restore the state, the machines and the timers")
  func history() throws {
    let host = try host()
    try host.dispatch("add", ["by": 5])
    try host.dispatch("add", ["by": 2])
    try host.undo()
    #expect(try host.state() == ["n": 5, "light": "on"])
    try host.undo()
    #expect(try host.state() == ["n": 0, "light": "off"])
    #expect(try host.settle() == [])
    try host.redo(2)
    #expect(try host.state() == ["n": 7, "light": "on"])
    #expect(try host.settle().count == 1)
    try host.go(to: 1)
    try host.dispatch("add", ["by": 100])
    #expect(try host.state()["n"] == 105)
    #expect(try host.revision == 2)
    #expect(throws: HistoryError.self) { try host.go(to: 9) }
  }

  @Test("undo and redo beyond the history, or by a negative number, are errors and change nothing")
  func historyThatEnds() throws {
    let host = try host()
    try host.dispatch("add", ["by": 5])
    func message(_ body: () throws -> Void) -> String? {
      (#expect(throws: HistoryError.self) { try body() })?.description
    }
    #expect(
      message { try host.undo(50) } == "cannot undo 50: at most 1 can be undone")
    #expect(message { try host.redo() } == "cannot redo 1: at most 0 can be redone")
    for count in [-1, .min] {
      #expect(message { try host.undo(count) }?.hasPrefix("cannot undo \(count): ") == true)
      #expect(message { try host.redo(count) }?.hasPrefix("cannot redo \(count): ") == true)
    }
    #expect(message { try host.redo(.max) } != nil)
    #expect(try host.revision == 1)
  }

  @Test("advancing a real clock is an error that says how to get a virtual one")
  func realClock() throws {
    let host = try FlowHost(source: "state {}", options: HostOptions(clock: .real))
    let error = #expect(throws: HostError.self) { try host.advance(1) }
    #expect(error?.description.contains("HostOptions(clock: .virtual)") == true)
  }

  @Test("undo frees a passage that was taken later")
  func historyOfGatekeepers() throws {
    let host = try FlowHost(
      source: """
        state {}
        action.load {} action.loaded {}
        gatekeeper.busy { load = "attempt", loaded = "reset" }
        """, options: HostOptions(clock: .virtual))
    try host.dispatch("load")
    #expect(try host.may("load").isGranted == false)
    try host.undo()
    #expect(try host.may("load").isGranted)
  }

  @Test("a reload keeps the state, notifies subscribers, and rejects a text that does not fit")
  func reload() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "moonlatch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "flow.lua")
    let old = """
      state { n = 1 }
      action.add {}
      function reduce.add(s) s.n = s.n + 1 end
      function view.n(s) return s.n end
      """
    try Data(old.utf8).write(to: file)
    let host = try FlowHost(
      flow: file, options: HostOptions(clock: .virtual, keepsTranscript: true))
    let told = RecordedLines()
    let subscription = try host.subscribe("n") { told.add("\($0)") }
    try host.dispatch("add")
    let new = old.replacingOccurrences(of: "+ 1", with: "+ 10")
      .replacingOccurrences(of: "n = 1 }", with: "n = 1, extra = 4 }")
    try Data(new.utf8).write(to: file)
    try host.reload()
    #expect(try host.state() == ["n": 2, "extra": 4])
    try host.dispatch("add")
    #expect(told.all.count == 3)
    try Data("state { m = 1 } action.add {}".utf8).write(to: file)
    #expect(throws: (any Error).self) { try host.reload() }
    #expect(try host.state()["n"] == 12)
    try Data(new.utf8).write(to: file)
    try host.reload(.reset)
    #expect(try host.state() == ["n": 1, "extra": 4])
    subscription.cancel()
  }

  @Test("a transcript can be written, read and replayed, and reports the first difference")
  func transcript() throws {
    let host = try host(keepsTranscript: true)
    try host.dispatch("add", ["by": 2])
    try host.advance(10)
    let transcript = try #require(try host.transcript)
    let read = try Transcript(text: transcript.text)
    #expect(read.entries == transcript.entries)
    #expect(try host.reload(.replay) == nil)
    #expect(throws: Transcript.Malformed.self) { _ = try Transcript(text: "{}\n") }
    #expect(throws: Transcript.Malformed.self) { _ = try Transcript(text: transcript.text + "{") }
  }

  @Test("stop returns the pending work, and later calls throw")
  func stop() throws {
    let host = try host()
    try host.dispatch("add")
    #expect(try host.stop() == ["add is due at 10 s"])
    #expect(throws: (any Error).self) { try host.dispatch("add") }
  }

  @Test("settle and stop return what is pending: queued, due and waiting")
  func pending() throws {
    let trial = try Trial(
      """
      state {} action.go {} action.late {}
      function effect.go() after(3, "late") sleep(5) end
      """)
    try trial.play("go")
    #expect(try trial.host.settle() == ["late is due at 3 s", "effect.go waits (#1)"])
    #expect(try trial.host.stop() == ["late is due at 3 s", "effect.go waits (#1)"])
    #expect(throws: (any Error).self) { try trial.host.settle() }
  }

  @Test("a real clock fires timers without a call")
  func realClock() async throws {
    let host = try FlowHost(
      source: course.replacingOccurrences(of: "add = 10", with: "add = 0.02"))
    let (values, continuation) = AsyncStream.makeStream(of: Value.self)
    let subscription = try host.subscribe("n") {
      if case .success(let n) = $0 { continuation.yield(n) }
    }
    try await host.dispatch("add")
    for await n in values where n == 2 { break }
    #expect(try host.revision >= 2)
    subscription.cancel()
  }
}

extension String {
  fileprivate func replacingOccurrences(of part: String, with other: String) -> String {
    split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
  }
}
