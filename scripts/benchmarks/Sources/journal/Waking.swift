import Bench
import FlowJournal
import Foundation
import Moonlatch
import Workloads

// How long it takes to go on with a case: its texts are loaded, the file is warm.

private let text = """
  state { n = 0, text = "", rows = list {} }
  action.step {}
  function reduce.step(s) s.n = s.n + 1 end
  function view.n(s) return s.n end
  """

private let counter = """
  state { n = 0 }
  action.add {}
  function reduce.add(s) s.n = s.n + 1 end
  """

private let limits = Limits(
  instructionsPerDispatch: 1_000_000_000, memory: 512 << 20, state: 64 << 20, retained: 256 << 20)

func measureWaking(_ report: inout BenchmarkReport, in folder: URL) throws {
  let store = try store("waking", in: folder)
  let flow = try LoadedFlow(source: text, name: "case.lua")
  let options = HostOptions(limits: limits, report: { _ in })
  let cases = try wait { try await Cases(of: flow, in: store, options: options) }
  let kilobyte = Value.string(String(repeating: "x", count: 1_000))
  try wait { [rows = row(kilobyte)] in
    try await cases.create("small", given: ["text": kilobyte])
    for _ in 0..<100 { try await cases["small"].dispatch("step") }
    try await cases.create("large", given: ["rows": .list(Array(repeating: rows, count: 16_400))])
    try await cases["large"].dispatch("step")
    try await cases.close()
  }
  let entries = try store.activate("small").map { $0.entries.count + ($0.snapshot == nil ? -1 : 0) }
  try WrongResult.unless(entries == 100, "the case has \(entries ?? 0) entries since its snapshot")
  func wake(_ id: String, _ steps: Int) throws -> Double {
    try seconds {
      let host = try FlowHost(flow, journal: store, case: id, options: options)
      let found = try host.view("n")
      try WrongResult.unless(found == .integer(steps), "the case went on with \(found)")
    }
  }
  var (small, bare, large): ([Double], [Double], [Double]) = ([], [], [])
  for _ in 0..<300 {
    small.append(try wake("small", 100))
    bare.append(
      try seconds { _ = try FlowHost(flow, options: options).view("n") })
  }
  for _ in 0..<5 { large.append(try wake("large", 1)) }
  report.title("Waking a case, until a view has answered: medians")
  report.figure("a host without a journal begins", median(bare) * 1_000, "ms")
  report.target("1 KB of state, 100 entries", median(small) * 1_000, atMost: 1, "ms")
  report.target("16 MiB of state", median(large), atMost: 2, "s")
  try measureEntry(&report, store, options)
  try store.close()
}

private func row(_ text: Value) -> Value { ["id": 7, "text": text] }

/// Measures an entry of a counter: its body, and the six numbers and the id beside it.
private func measureEntry(
  _ report: inout BenchmarkReport, _ store: SQLiteJournal, _ options: HostOptions
) throws {
  let flow = try LoadedFlow(source: counter, name: "counter.lua")
  let host = try FlowHost(flow, journal: store, case: "counter", options: options)
  for _ in 0..<200 { try host.dispatch("add") }
  let entries = try store.entries(of: "counter", from: 2, limit: 200)
  let most = entries.map(\.body.count).max() ?? 0
  report.title("An entry of a counter, the longest of 200")
  report.figure("its body", Double(most), "bytes")
  report.target(
    "with its id and numbers", Double(most + "counter".utf8.count + 6 * 8), atMost: 120, "bytes")
}
