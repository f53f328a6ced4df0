import Bench
import Moonlatch

// The memory that remains after hosts were created, used and dropped, one after the other.

private let flow = """
  state { n = 0, rows = list {}, names = map {} }
  action.step { text = string }
  gate("some", "*", function(s, a) return #a.text > 0 end)
  function reduce.step(s, a)
    s.n = s.n + 1
    s.rows[#s.rows + 1] = { text = a.text }
    s.names[a.text] = s.n
  end
  function view.rows(s) return #s.rows end
  function invariant.counted(s) return #s.rows == s.n end
  function effect.step(self, a) sleep(1) end
  """

private func use(_ count: Int) throws {
  for number in 0..<count {
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual, report: { _ in }))
    for text in ["first", "second \(number)"] { try host.dispatch("step", ["text": .string(text)]) }
    let rows = try host.view("rows")
    try WrongResult.unless(rows == 2, "the host has not two rows but \(rows)")
  }
}

run { report in
  try use(1_000)
  let early = Double(HistoryValue.resident) / 1024
  try use(9_000)
  let late = Double(HistoryValue.resident) / 1024
  try WrongResult.unless(early > 0, "this system does not say how much memory a process has")
  report.title("Hosts created, used for two dispatches, a view and an effect, and dropped")
  report.figure("memory after 1,000", early, "KiB")
  report.figure("memory after 10,000", late, "KiB")
  report.figure("growth for each host", (late - early) * 1024 / 9_000, "bytes")
  report.target("memory after 10,000 to that after 1,000", late / early, atMost: 1.05)
}
