import Baseline
import Bench
import Moonlatch

// The cost of pending timers and of a long history.

/// A machine whose every state has a timer, and an action that sets more of them.
let timerFlow = """
  state { rows = list {} }
  action.flip {}
  action.late {}
  action.arm { count = integer }
  action.fill { count = integer }
  action.touch { index = integer }
  machine.lamp {
    initial = "off",
    off = { flip = "on", after = { flip = 1000 } },
    on  = { flip = "off", after = { flip = 1000 } },
  }
  function effect.arm(self, a)
    for number = 1, a.count do after(100000 + number, "late") end
  end
  function reduce.fill(s, a)
    for number = #s.rows + 1, #s.rows + a.count do s.rows[number] = { id = number, done = false } end
  end
  function reduce.touch(s, a)
    s.rows[a.index].done = not s.rows[a.index].done
  end
  """

/// Events of the machine while so many timers are pending.
func events(pending count: Int) throws -> Stopwatch.Candidate {
  let host = try armedHost(pending: count, history: 1_000)
  return Stopwatch.Candidate(name: "events", count: 1_000) { times in
    for _ in 0..<times { try pass(host, "flip") }
  }
}

/// The bytes that stay allocated for each event that the history keeps.
func historyBytes(pending count: Int) throws -> Double {
  let events = 40_000
  let host = try armedHost(pending: count, history: events)
  for _ in 0..<100 { try pass(host, "flip") }
  let before = Int(baseline_allocated())
  for _ in 0..<events { try pass(host, "flip") }
  return Double(Int(baseline_allocated()) - before) / Double(events)
}

/// Undo and redo of one transition, in a state of so many records.
func undoing(records count: Int) throws -> Stopwatch.Candidate {
  let host = try FlowHost(source: timerFlow, options: HostOptions(clock: .virtual))
  for begin in stride(from: 0, to: count, by: 1_000) {
    try pass(host, "fill", ["count": .integer(min(1_000, count - begin))])
  }
  try pass(host, "touch", ["index": .integer(count / 2)])
  return Stopwatch.Candidate(name: "undo", count: 20) { times in
    for _ in 0..<times / 2 {
      try host.undo()
      try host.redo()
    }
  }
}

private func armedHost(pending count: Int, history: Int) throws -> FlowHost {
  let host = try FlowHost(
    source: timerFlow, options: HostOptions(limits: Limits(history: history), clock: .virtual))
  if count > 0 { try pass(host, "arm", ["count": .integer(count)]) }
  return host
}

private func pass(_ host: FlowHost, _ action: String, _ payload: Value = [:]) throws {
  let outcome = try host.dispatch(action, payload)
  try WrongResult.unless(outcome.isPassed, "\(outcome)")
}
