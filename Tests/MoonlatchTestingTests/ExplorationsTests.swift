import FlowKernel
import Foundation
import MoonlatchTesting
import Testing

@Suite struct ExplorationsTests {
  @Test(
    "the explorations of a folder are the arguments of a test",
    arguments: Explorations(in: "../../examples/turnstile"))
  func turnstile(_ exploration: ExplorationTest) throws { try exploration.run() }

  private let folder = FileManager.default.temporaryDirectory.appending(
    path: UUID().uuidString, directoryHint: .isDirectory)

  private func write(_ text: String, to name: String) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
  }

  /// A counter without an upper end, and one that asks whether it stays below four.
  private func writeCounter() throws {
    try write(
      """
      state { n = 0 }
      action.up {}
      action.reset {}
      function reduce.up(s) s.n = s.n + 1 end
      function reduce.reset(s) s.n = 0 end
      function invariant.low(s) return s.n < 4, "it is " .. s.n end
      """, to: "flow.lua")
    try write(
      "flow \"flow.lua\"\nexplore(\"all of it\")\nexplore(\"once more\", { actions = { reset = false } })",
      to: "flow.explore.lua")
  }

  @Test("a property that fails is thrown with its steps")
  func failing() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try writeCounter()
    let explorations = Explorations(in: folder)
    #expect(
      explorations.map { $0.description.hasSuffix("flow.explore.lua: all of it") } == [true, false])
    let failure = try #require(throws: ExplorationFailure.self) { try explorations[0].run() }
    #expect(failure.description.contains("invariant.low does not hold: it is 4"))
    #expect(failure.description.contains("\n           4  up\n"))
  }

  @Test(
    "rules and reducers of a host in Swift take part in an exploration, and their reads are learned"
  )
  func natives() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try writeCounter()
    var options = HostOptions()
    options.addGate("three at most", for: ["up"]) { state, _ in
      try state.value(at: "n") < 3 ? .passes : .refuses("that is enough")
    }
    for exploration in Explorations(in: folder, options: options).prefix(1) {
      try exploration.run()
    }
    options.addReducer(for: "up") { state, _ in
      if try state.value(at: "n", as: Int.self) == 3 { try state.set("n", to: 9) }
    }
    let failing = Explorations(in: folder.appending(path: "flow.lua"), options: options)
    #expect(failing.count == 1)
    let failure = try #require(throws: ExplorationFailure.self) { try failing[0].run() }
    #expect(failure.description.contains("invariant.low does not hold: it is 9"))
    #expect(failure.description.contains("\n           3  up\n"))
  }

  @Test("a rule in Swift that reads the clock cannot be explored, and the error says so")
  func clock() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try writeCounter()
    var options = HostOptions()
    options.addGate("early", for: ["up"]) { state, _ in
      try state.now < 5 ? .passes : .refuses("late")
    }
    let exploration = Explorations(in: folder, options: options)[0]
    let failure = try #require(throws: ExplorationFailure.self) { try exploration.run() }
    #expect(failure.description.contains("action up asks what time it is"))
  }

  @Test("an exploration that reaches a bound fails, since it is incomplete")
  func bounded() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(
      "state { n = 0 } action.up {} function reduce.up(s) s.n = s.n + 1 end", to: "flow.lua")
    var bounds = Explorations.Bounds()
    bounds.states = 20
    let exploration = Explorations(in: folder.appending(path: "flow.lua"), bounds: bounds)[0]
    let failure = try #require(throws: ExplorationFailure.self) { try exploration.run() }
    #expect(failure.description.contains("not all explored: the bound of 20 states was reached"))
  }

  @Test("a folder without explorations, a missing path and a faulty file are failing tests")
  func nothing() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("x", to: "other.txt")
    for (explorations, sentence) in [
      (Explorations(in: folder), "there is no exploration file (*.explore.lua) in"),
      (Explorations(in: folder.appending(path: "no")), "there is no such file or folder"),
    ] {
      #expect(explorations.count == 1)
      let failure = try #require(throws: ExplorationFailure.self) { try explorations[0].run() }
      #expect(failure.description.contains(sentence))
    }
    try write("explore(", to: "a.explore.lua")
    #expect(throws: ExplorationFailure.self) { try Explorations(in: folder)[0].run() }
  }
}
