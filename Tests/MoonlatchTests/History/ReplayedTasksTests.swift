import LuaRuntime
import Testing

@testable import FlowHosting
@testable import FlowKernel

/// Tasks that are open while a reload replays their case.
@Suite struct ReplayedTasksTests {
  @Test("an effect keeps waiting for its task after a reload that replays the case")
  func kept() async throws {
    let tasks = try TaskHost(
      TaskHost.flow("note(self:job(1))\nnote(self:other(2))"), keepsTranscript: true)
    try tasks.play()
    let job = try #require(try tasks.claim())
    #expect(try tasks.replay() == nil)
    #expect(try tasks.rows() == [job])
    #expect(try await tasks.answer(.answer("A")))
    #expect(try tasks.log == ["A"])
    let other = try #require(try tasks.rows().first)
    for _ in 0..<2 {
      #expect(try tasks.replay() == nil)
      #expect(try tasks.log == ["A"])
      #expect(try tasks.rows() == [other])
    }
    // The journal has the task, too.
    try tasks.restart()
    #expect(try tasks.rows() == [other])
    #expect(try await tasks.answer(.answer("B"), at: "2"))
    #expect(try tasks.log == ["A", "B"])
    #expect(try tasks.open == [])
    #expect(try tasks.rows(TaskQuery(state: .cancelled)) == [])
    #expect(
      Set(tasks.reports.all) == [
        "effect.go of #1 was stopped: the flow is replayed from the beginning"
      ])
  }

  @Test("a retry keeps its try over a replay, and a final failure stays final")
  func tries() async throws {
    let tasks = try TaskHost(
      TaskHost.flow(
        """
        noteError(function()
          retry({ times = 5, wait = 0 }, function() return self:job(1) end)
        end)
        note(self:other(2))
        """), keepsTranscript: true)
    try tasks.play()
    try await tasks.answer(.failed("job: 503"), at: "retry1.1")
    let second = try #require(try tasks.rows().first)
    #expect(second.task.tryNumber == 2)
    #expect(try tasks.replay() == nil)
    #expect(try tasks.rows() == [second])
    try await tasks.answer(.failed("job: 402", isFinal: true), at: "retry1.1")
    let other = try tasks.rows()
    #expect(other.map(\.task.name) == ["other"])
    #expect(try tasks.replay() == nil)
    #expect(try tasks.rows() == other)
    #expect(try tasks.log.count == 1 && tasks.log[0].hasSuffix("job: 402"))
  }

  @Test("the functions of an effect and plain effects keep their tasks, each its own")
  func many() async throws {
    let tasks = try TaskHost(
      TaskHost.flow(
        "all { function() note(self:job(1)) end, function() note(self:job(2)) end }",
        more: """
          action.plain {}
          function effect.plain(self) note(self:other(3)) end
          """), keepsTranscript: true)
    try tasks.play()
    try tasks.play("plain")
    let rows = try tasks.rows()
    #expect(rows.count == 3)
    #expect(try tasks.replay() == nil)
    #expect(try tasks.rows() == rows)
    for (position, answer) in [("all1.2.1", "B"), ("1", "C"), ("all1.1.1", "A")] {
      #expect(try await tasks.answer(.answer(.string(answer)), at: position))
      #expect(try tasks.replay() == nil)
    }
    #expect(try tasks.log == ["B", "C", "A"] && tasks.open == [])
  }

  @Test("a text that calls elsewhere opens a new task, and one that calls nothing has none")
  func otherTexts() throws {
    let tasks = try TaskHost(TaskHost.flow("note(self:job(1))"), keepsTranscript: true)
    try tasks.play()
    let first = try #require(try tasks.rows().first).task
    try tasks.replay(TaskHost.flow("all { function() note(self:job(1)) end }"))
    #expect(try tasks.open == ["job all1.1.1 #1"])
    #expect(try tasks.rows().first?.task.call != first.call)
    try tasks.replay(TaskHost.flow("note(\"nothing\")"))
    #expect(try tasks.open == [])
  }

  @Test("a transcript is written and read back with the class of a failure")
  func written() async throws {
    let tasks = try TaskHost(
      TaskHost.flow("noteError(function() self:job(1) end)"), keepsTranscript: true)
    for outcome in [
      TaskOutcome.failed("job: 402", isFinal: true, status: 402), .failed("job: 503", after: 2.5),
    ] {
      try tasks.play()
      try await tasks.answer(outcome)
    }
    let transcript = try #require(try tasks.host.transcript)
    let failures = transcript.entries.compactMap { entry -> CallFailure? in
      if case .answer(_, .failure(let failure)) = entry { failure } else { nil }
    }
    #expect(failures.map(\.isFinal) == [true, false])
    #expect(failures.map(\.status) == [402, nil] && failures.map(\.after) == [nil, 2.5])
    #expect(try Transcript(text: transcript.text).entries == transcript.entries)
  }
}
