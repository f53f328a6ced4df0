import LuaRuntime
import Testing

@testable import FlowHosting
@testable import FlowKernel

/// A case whose tasks are opened, answered, failed and cancelled, and that is restarted after each input.
@Suite struct RestoredTasksTests {
  private static let actions = ["go", "pay", "both", "first", "start", "stop"]

  private static let flow = TaskHost.flow(
    "note(self:job(1))",
    more: """
      for _, name in ipairs { "pay", "both", "first", "start", "stop" } do action[name] {} end
      effect.pay = { durable = true, on_error = "failed", run = function(self)
        note(retry({ times = 3, wait = 2, only = function(message, failure)
          note(message .. " " .. tostring(failure and failure.final))
          return not (failure and failure.final)
        end }, function() return self:job("pay") end))
      end }
      effect.both = { durable = true, on_error = "failed", run = function(self)
        local got = all {
          a = function() return self:job("a") end,
          b = function()
            sleep(1)
            return retry({ times = 2, wait = 0 }, function()
              return retry({ times = 2, wait = 1 }, function() return self:other("b") end)
            end)
          end,
        }
        note(got.a .. got.b)
      end }
      effect.first = { durable = true, on_error = "failed", run = function(self)
        note((race { call = function() return self:job("x") end, time = function() sleep(3) end }))
      end }
      machine.work { initial = "idle", idle = { start = "busy" }, busy = { stop = "idle",
        effect = { durable = true, on_error = "failed", run = function(self)
          while true do note(self:other("busy")) end
        end } } }
      """)

  private static let outcomes: [TaskOutcome] = [
    .answer("A"), .answer("B"), .answer("C"), .failed("job: 503"), .failed("job: 429", after: 4),
    .failed("job: 402", isFinal: true, status: 402),
  ]

  @Test(
    "a case that is restarted after each input has the same tasks as one that lives on",
    arguments: 1...12 as ClosedRange<UInt64>)
  func restored(seed: UInt64) async throws {
    let (live, restarted) = (try TaskHost(Self.flow), try TaskHost(Self.flow))
    var random = SeededRandom(seed: seed)
    var steps: [String] = []
    for _ in 1...50 {
      steps.append(try await Self.step(live, restarted, &random))
      for _ in 0..<2 {
        let (one, other) = (try Self.text(of: live), try Self.text(of: restarted))
        try #require(one == other, "seed \(seed): \(steps)")
        try restarted.restart()
      }
    }
  }

  @Test(
    "a case that is replayed after each input has the same tasks as one that lives on",
    arguments: 21...26 as ClosedRange<UInt64>)
  func replayed(seed: UInt64) async throws {
    let live = try TaskHost(Self.flow)
    let replayed = try TaskHost(Self.flow, keepsTranscript: true)
    var random = SeededRandom(seed: seed)
    var steps: [String] = []
    for _ in 1...30 {
      steps.append(try await Self.step(live, replayed, &random))
      let before = try replayed.rows()
      let difference = try replayed.replay()
      #expect(difference == nil, "seed \(seed): \(steps)")
      #expect(try replayed.rows() == before)
      let (one, other) = (try Self.text(of: live), try Self.text(of: replayed))
      try #require(one == other, "seed \(seed): \(steps)")
    }
  }

  /// Plays a random input in both cases, and returns its description.
  private static func step(
    _ live: TaskHost, _ restarted: TaskHost, _ random: inout SeededRandom
  ) async throws -> String {
    func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    let count = try sorted(live).count
    let kind = pick(10)
    switch kind {
    case 4..<8 where count > 0:
      let (place, outcome) = (pick(count), outcomes[pick(outcomes.count)])
      for tasks in [live, restarted] {
        let key = try sorted(tasks)[place].task.key
        #expect(try await tasks.host.answer(key, with: outcome))
      }
      return "\(place) is answered with \(outcome)"
    case 8...:
      let seconds = [0.5, 1, 2, 5][pick(4)]
      for tasks in [live, restarted] { try tasks.advance(seconds) }
      return "advance \(seconds)"
    default:
      let action = actions[pick(actions.count)]
      let (one, other) = (try live.play(action), try restarted.play(action))
      #expect("\(one)" == "\(other)")
      return action
    }
  }

  private static func sorted(_ tasks: TaskHost) throws -> [StoredTask] {
    try tasks.rows().sorted {
      ($0.task.effect, $0.task.position, $0.task.tryNumber)
        < ($1.task.effect, $1.task.position, $1.task.tryNumber)
    }
  }

  /// Returns the state of a case with its open tasks, which the rows and the engine must agree on.
  private static func text(of tasks: TaskHost) throws -> String {
    let rows = try sorted(tasks)
    let open = try tasks.host.use { $0.openTasks }
    #expect(Set(open.map(\.key)) == Set(rows.map(\.task.key)) && open.count == rows.count)
    // The ids of the journals differ, and so do the times of their clocks.
    let texts = rows.map { row in
      let task = row.task
      return "\(task.effect) \(task.position) #\(task.tryNumber) \(task.arguments) \(task.queue) "
        + "\(task.isOnce) \(row.state)"
    }
    let work = try tasks.host.state()["work"]?.stringValue ?? ""
    return "\(work) \(try tasks.log) \(try tasks.host.pendingWork) \(texts)"
  }
}
