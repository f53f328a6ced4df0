import Bench
import Foundation

// Calls of an `http` capability, 64 at once, at a provider that takes 5 ms, beside the same client without tasks. Each
// call is stored before it is made, and so is its answer.

private let chargeFlow = """
  state { done = 0 }
  action.go { calls = integer }
  internal.finished {}
  function reduce.finished(s) s.done = s.done + 1 end
  function view.done(s) return s.done end
  effect.go = { durable = true, on_done = "finished", run = function(self, a)
    for n = 1, a.calls do self:charge { cents = 250, currency = "EUR" } end
  end }
  """
private let rounds = 3
private let calls = 100

func measureCalls(
  _ report: inout BenchmarkReport, _ program: String, _ bareServer: String, _ bareClient: String,
  in folder: URL
) throws {
  let provider = try Served([bareServer], in: folder)
  let address = "http://127.0.0.1:\(provider.port)/charges"
  let file = folder.appending(path: "charge.lua")
  try chargeFlow.write(to: file, atomically: true, encoding: .utf8)
  let hostFile = """
    provide { charge = http { "POST", "\(address)", at_once = 64,
      args = { cents = integer, currency = string }, result = { id = string } } }
    """
  try hostFile.write(
    to: folder.appending(path: "charge.host.lua"), atomically: true, encoding: .utf8)
  let journal = folder.appending(path: "charge.journal").path
  let served = try Served(
    [program, "serve", file.path, "--journal", journal, "--port", "0"], in: folder)
  try served.begin(64)
  var (bare, ours): ([Double], [Double]) = ([], [])
  for round in 1...rounds {
    bare.append(try bareRate(bareClient, address))
    ours.append(try rate(of: served, round: round))
  }
  report.title("Calls a second by http, 64 at once, of a provider that takes 5 ms; SQLite")
  report.figure("AsyncHTTPClient, which stores nothing", median(bare), "/s")
  report.figure("durable calls of 64 cases", median(ours), "/s")
  report.target("durable calls: to AsyncHTTPClient", median(zip(ours, bare).map(/)), atLeast: 0.5)
}

private func bareRate(_ program: String, _ address: String) throws -> Double {
  let (process, output) = (Process(), Pipe())
  process.executableURL = URL(filePath: program)
  process.arguments = [address, "3"]
  process.standardOutput = output
  try process.run()
  let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  process.waitUntilExit()
  guard let rate = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
    throw WrongResult("\(program) has printed \(text)")
  }
  return rate
}

/// Returns the number of calls a second until every case has made its calls.
private func rate(of served: Served, round: Int) throws -> Double {
  let connection = try Connection(served.port)
  let begin = ContinuousClock.now
  for index in 0..<64 {
    let answer = try connection.ask(
      served.request("POST", "/cases/c\(index)/actions/go", "{\"calls\":\(calls)}"))
    try WrongResult.unless(answer.hasPrefix("HTTP/1.1 200"), "a case does not go: \(answer)")
  }
  for index in 0..<64 {
    let look = served.request("GET", "/cases/c\(index)/views/done")
    while true {
      let answer = try connection.ask(look)
      try WrongResult.unless(answer.hasPrefix("HTTP/1.1 200"), "a view is answered: \(answer)")
      if answer.hasSuffix("\r\n\r\n\(round)") { break }
      try WrongResult.unless(
        ContinuousClock.now - begin < .seconds(120), "a case is not done: \(answer)")
      usleep(5_000)
    }
  }
  return Double(64 * calls) / ((ContinuousClock.now - begin) / .seconds(1))
}
