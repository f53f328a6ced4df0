import Bench
import FlowJournal
import Foundation
import Moonlatch
import Synchronization
import Workloads

// Timers of cases that sleep: how long many take that are due at once, and how late one is where nothing else is to be
// done, beside a bare sleep of the same length.

private let order = """
  state { seconds = 0 }
  internal.expire {}
  machine.order {
    initial = "open",
    open = { expire = "gone", after = { expire = function(s) return s.seconds end } },
    gone = { final = true },
  }
  effect.expire = function(self) self:seen(born() + now()) end
  """

private func orders(
  in store: SQLiteJournal, began: Date? = nil,
  _ seen: @escaping @Sendable (Double) -> Void = { _ in }
) async throws -> Cases {
  try await Cases(
    of: LoadedFlow(source: order, name: "order.lua"), in: store,
    options: HostOptions(began: began, report: { _ in })
  ) { scopes in
    scopes.root.provide("seen") { (due: Double) in seen(due) }
  }
}

func measureWhatIsDue(_ report: inout BenchmarkReport, in folder: URL) throws {
  let (count, pause) = (10_000, 8.0)
  let store = try store("due", in: folder)
  let due = wall + pause
  let first = try wait {
    try await orders(in: store, began: Date(timeIntervalSince1970: due - 100))
  }
  try wait {
    try await first.create("model", given: ["seconds": 100, "order": "open"])
    try await first.close()
  }
  try wait { try await store.multiply("model", by: count - 1, "o") }
  let told = Mutex(0)
  let cases = try wait { try await orders(in: store) { _ in told.withLock { $0 += 1 } } }
  let begin = max(due, wall)
  while wall < begin + 60, told.withLock({ $0 }) < count { usleep(10_000) }
  let time = wall - begin
  usleep(300_000)
  let all = try wait { try await cases.list(limit: count + 1) }
  let isOnce =
    all.count == count && told.withLock { $0 } == count && all.allSatisfy { $0.revision == 1 }
  let asItShould = all.count { $0.revision == 1 }
  try WrongResult.unless(
    isOnce,
    "not each of the \(count) timers has fired once: \(told.withLock { $0 }) calls after \(time) s, "
      + "\(asItShould) of \(all.count) cases at revision 1")
  try wait { try await cases.close() }
  try store.close()
  report.title("\(count) timers of cases that sleep, due at once, each with a call of a capability")
  report.target("until the last has fired, each once", time, atMost: 10, "s")
}

func measureLateness(_ report: inout BenchmarkReport, in folder: URL) throws {
  let (count, step) = (300, 0.05)
  let store = try store("late", in: folder)
  let first = try wait { try await orders(in: store) }
  try wait {
    for number in 0..<count {
      try await first.create(
        "o-\(number)",
        given: ["seconds": .number(4 + Double(number) * step), "order": "open"])
    }
    try await first.close()
  }
  let late = Mutex<[Double]>([])
  let cases = try wait {
    try await orders(in: store) { due in late.withLock { $0.append(wall - due) } }
  }
  var bare: [Double] = []
  while wall < (try store.summary(of: "o-\(count - 1)")?.due).map({ Double($0) / 1e6 + 0.3 }) ?? 0 {
    let due = wall + step
    Thread.sleep(forTimeInterval: step)
    bare.append(wall - due)
  }
  try WrongResult.unless(
    late.withLock { $0.count } == count,
    "\(late.withLock { $0.count }) timers of \(count) have fired")
  try wait { try await cases.close() }
  try store.close()
  let times = late.withLock { $0 }
  report.title(
    "\(count) timers of cases that sleep, one every \(Int(step * 1_000)) ms: how late they are")
  report.figure("median, until a capability is called", median(times) * 1_000, "ms")
  report.figure("99th percentile of a bare sleep", percentile99(bare) * 1_000, "ms")
  report.target(
    "99th percentile, more than that", (percentile99(times) - percentile99(bare)) * 1_000,
    atMost: 20, "ms")
}
