import LuaRuntime
import Testing

@testable import FlowHosting
@testable import FlowKernel

/// Failures of tasks, and `retry`.
@Suite struct RetriedTasksTests {
  private static let plain = "retry({ times = 3, wait = 0 }, function() note(self:job(1)) end)"

  @Test(
    "retry opens a new task of the same call, with the next try, until its attempts are used up")
  func tries() async throws {
    let tasks = try TaskHost(TaskHost.flow(Self.plain))
    try tasks.play()
    let call = try #require(try tasks.rows().first).task.call
    #expect(call.hasSuffix("/c/e1/retry1.1"))
    for number in 1...3 {
      let row = try #require(try tasks.rows().first)
      #expect(row.task.call == call && row.task.tryNumber == number)
      // The same holds in another process.
      if number == 2 { try tasks.restart() }
      try await tasks.answer(.failed("job: 503"), at: "retry1.1")
    }
    #expect(try tasks.open == [])
    #expect(try tasks.log == ["failed job: 503"])
    #expect(try tasks.rows(TaskQuery(state: .closed)).map(\.task.tryNumber) == [1, 2, 3])
  }

  @Test("an answer ends the retry")
  func answered() async throws {
    let tasks = try TaskHost(TaskHost.flow(Self.plain))
    try tasks.play()
    try await tasks.answer(.failed("job: 503"), at: "retry1.1")
    try await tasks.answer(.answer("A"), at: "retry1.1")
    #expect(try tasks.log == ["A"])
    #expect(try tasks.open == [])
  }

  @Test("a final failure ends the retry at once, also one that is raised again unchanged")
  func final() async throws {
    for call in [
      "note(self:job(1))",
      "local ok, e = pcall(function() self:job(1) end) error(e, 0)",
      "local ok, e = pcall(function() self:job(1) end) error(e)",
      "all { function() self:job(1) end, function() sleep(100) end }",
      "all { function() all { function() self:job(1) end } end, function() sleep(100) end }",
    ] {
      let tasks = try TaskHost(
        TaskHost.flow("retry({ times = 3, wait = 0 }, function() \(call) end)"))
      try tasks.play()
      try tasks.restart()
      let position = try #require(try tasks.rows().first).task.position
      try await tasks.answer(.failed("job: 402", isFinal: true), at: position)
      #expect(try tasks.open == [], "\(call)")
      #expect(try tasks.log.count == 1 && tasks.log[0].hasPrefix("failed "), "\(call)")
    }
  }

  @Test("a final failure that is raised with another message is retried")
  func changed() async throws {
    for change in ["\"again: \" .. e, 0", "\"again: \" .. e", "e .. \"!\", 0", "\"job\", 0"] {
      let tasks = try TaskHost(
        TaskHost.flow(
          """
          retry({ times = 2, wait = 0 }, function()
            local ok, e = pcall(function() return self:job(1) end)
            if not ok then error(\(change)) end
            note(e)
          end)
          """))
      try tasks.play()
      try await tasks.answer(.failed("job: 402", isFinal: true), at: "retry1.1")
      #expect(try tasks.open == ["job retry1.1 #2"], "\(change)")
      try await tasks.answer(.answer("A"), at: "retry1.1")
      #expect(try tasks.log == ["A"], "\(change)")
    }
  }

  @Test("the option only gets the properties of a failure, and decides if it is retried")
  func only() async throws {
    let tasks = try TaskHost(
      TaskHost.flow(
        """
        retry({ times = 5, wait = 0, only = function(message, failure)
          note(message)
          if not failure then note("none") return true end
          note(tostring(failure.final) .. " " .. tostring(failure.status) .. " "
            .. tostring(failure.after))
          return failure.status ~= 402
        end }, function()
          self:job(1)
          error("mine", 0)
        end)
        """))
    try tasks.play()
    try await tasks.answer(.failed("job: 503", status: 503), at: "retry1.1")
    try await tasks.answer(.answer("A"), at: "retry1.1")
    try tasks.restart()
    try await tasks.answer(.failed("job: 409", isFinal: true, status: 409), at: "retry1.1")
    try await tasks.answer(.failed("job: 402", isFinal: true, status: 402), at: "retry1.1")
    #expect(
      try tasks.log == [
        "f.lua:17: job: 503", "false 503 nil", "mine", "none", "f.lua:17: job: 409",
        "true 409 nil", "f.lua:17: job: 402", "true 402 nil", "failed job: 402",
      ])
    #expect(try tasks.open == [])
  }

  @Test("the next try waits at least as long as a failure requests")
  func after() async throws {
    let tasks = try TaskHost(
      TaskHost.flow("retry({ times = 5, wait = 1, factor = 2 }, function() self:job(1) end)"))
    try tasks.play()
    try await tasks.answer(.failed("job: 503", after: 30), at: "retry1.1")
    for seconds in [1, 28.5] {
      try tasks.advance(seconds)
      #expect(try tasks.open == [])
    }
    try tasks.restart()
    try tasks.advance(0.5)
    #expect(try tasks.open == ["job retry1.1 #2"])
    // The wait has grown meanwhile; a shorter time does not shorten it.
    try await tasks.answer(.failed("job: 503", after: 0.5), at: "retry1.1")
    try tasks.advance(1.9)
    #expect(try tasks.open == [])
    try tasks.advance(0.1)
    #expect(try tasks.open == ["job retry1.1 #3"])
    try await tasks.answer(.failed("job: 503"), at: "retry1.1")
    try tasks.advance(3.9)
    #expect(try tasks.open == [])
    try tasks.advance(0.1)
    #expect(try tasks.open == ["job retry1.1 #4"])
  }

  @Test("each try has its own number, also in nested retries")
  func nested() async throws {
    let tasks = try TaskHost(
      TaskHost.flow(
        """
        retry({ times = 2, wait = 0 }, function()
          retry({ times = 2, wait = 0 }, function() self:job(1) end)
        end)
        """))
    try tasks.play()
    for number in [1, 2, 1_001, 1_002] {
      #expect(try tasks.open == ["job retry1.retry1.1 #\(number)"])
      try tasks.restart()
      #expect(try tasks.open == ["job retry1.retry1.1 #\(number)"])
      try await tasks.answer(.failed("job: 503"), at: "retry1.retry1.1")
    }
    #expect(try tasks.log == ["failed job: 503"])
    #expect(try tasks.rows(TaskQuery(state: .closed)).count == 4)
  }

  @Test("a call that is tried again within one turn is a new task")
  func sameTurn() async throws {
    let tasks = try TaskHost(
      TaskHost.flow(
        """
        retry({ times = 2, wait = 0 }, function()
          local ok, e = pcall(function()
            return retry({ times = 1 }, function() return self:job(1) end)
          end)
          note(e)
          if not ok then error("again", 0) end
        end)
        """))
    try tasks.play()
    let first = try #require(try tasks.rows().first)
    try await tasks.answer(.failed("job: 503"), at: "retry1.retry1.1")
    let second = try #require(try tasks.rows().first)
    #expect(second.id != first.id && second.task.tryNumber > first.task.tryNumber)
    #expect(try await !tasks.host.answer(first.task.key, with: .failed("job: 503")))
    try await tasks.answer(.answer("A"), at: "retry1.retry1.1")
    #expect(try tasks.log == ["f.lua:12: job: 503", "A"])
  }

  @Test("concurrent functions number their tries separately")
  func sideBySide() async throws {
    let tasks = try TaskHost(
      TaskHost.flow(
        """
        all {
          function() retry({ times = 3, wait = 0 }, function() note(self:job(1)) end) end,
          function() retry({ times = 3, wait = 0 }, function() note(self:job(2)) end) end,
        }
        """))
    try tasks.play()
    try await tasks.answer(.failed("job: 503"), at: "all1.1.retry1.1")
    #expect(try tasks.open.sorted() == ["job all1.1.retry1.1 #2", "job all1.2.retry1.1 #1"])
    try await tasks.answer(.answer("B"), at: "all1.2.retry1.1")
    try await tasks.answer(.answer("A"), at: "all1.1.retry1.1")
    #expect(try tasks.log == ["B", "A"])
  }
}
