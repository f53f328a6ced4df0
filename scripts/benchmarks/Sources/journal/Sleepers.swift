import Bench
import FlowJournal
import Foundation
import Moonlatch
import Workloads

// How much memory many cases take that sleep: a process of its own opens the journal and asks each of them for a view,
// one after the other.

private let (asleep, awake) = (100_000, 1_000)

private let order = """
  state { cents = 0, note = "" }
  action.pay { cents = integer { min = 1 } }
  action.expire {}
  machine.order {
    initial = "open",
    open = { pay = "paid", expire = "gone", after = { expire = "30d" } },
    paid = { final = true }, gone = { final = true },
  }
  function view.cents(s) return s.cents end
  """

private func orders(in store: SQLiteJournal, began: Date? = nil) async throws -> Cases {
  try await Cases(
    of: LoadedFlow(source: order, name: "order.lua"), in: store,
    options: HostOptions(began: began, report: { _ in }), maximumActive: awake)
}

func measureSleepers(_ report: inout BenchmarkReport, in folder: URL) throws {
  let store = try store("asleep", in: folder)
  let cases = try wait { try await orders(in: store) }
  try wait {
    try await cases.create("model", given: ["note": .string(String(repeating: "x", count: 100))])
    try await cases.close()
  }
  try wait { try await store.multiply("model", by: asleep, "o") }
  try store.close()
  let process = Process()
  process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
  process.arguments = ["--asleep", store.file.path]
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  let found = said.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
  guard process.terminationStatus == 0, found.count == 2 else {
    throw WrongResult("the cases could not be asked: \(said)")
  }
  report.title("\(asleep) cases that sleep, \(awake) awake, after each was asked for a view")
  report.target("more memory than before there was one", found[0], atMost: 150, "MiB")
  report.figure("asking a case that sleeps", found[1] * 1_000_000 / Double(asleep), "µs")
}

/// Wakes all cases in this process, and prints the growth of its memory in MiB and the seconds that it took.
func wakeAll(inFile file: URL) throws {
  _ = try FlowHost(LoadedFlow(source: order, name: "order.lua"))
  let before = HistoryValue.resident
  let store = try SQLiteJournal(file: file)
  let cases = try wait { try await orders(in: store) }
  let time = try seconds {
    try wait {
      for number in 0..<asleep {
        let cents = try await cases["o-\(number)"].view("cents")
        try WrongResult.unless(cents == 0, "case \(number) has \(cents)")
      }
    }
  }
  try WrongResult.unless(
    cases.active > awake / 2 && cases.active <= awake, "\(cases.active) cases are awake")
  print(Double(HistoryValue.resident - before) / 1_048_576, time)
}
