import Bench
import Foundation
import Moonlatch

// A server and a program with cases in PostgreSQL, of which all processes are stopped while dispatches and renewals of
// leases are under way: the server still tells its health, and tasks of the program go on.

private let stop = 10

func measureStoppedDatabase(
  _ report: inout BenchmarkReport, _ program: String, _ file: URL, in folder: URL
) throws {
  let environment = ProcessInfo.processInfo.environment
  guard let url = environment["MOONLATCH_POSTGRES"],
    let data = environment["MOONLATCH_POSTGRES_FOLDER"]
  else { throw WrongResult("there is no PostgreSQL: scripts/bench server starts one") }
  let database = try DatabaseProcesses(in: data)
  let journal = try Databases.make("served", at: url)
  let server = try Served(
    [program, "serve", file.path, "--journal", journal, "--port", "0", "--lease", "3s"], in: folder)
  try server.begin(64)
  let own = try BusyCases(LoadedFlow(file), at: Databases.make("own", at: url))
  let dispatches = try (0..<16).map { index in
    let request = server.request("POST", "/cases/c\(index)/actions/increase", "{\"by\":1}")
    return try Asking(request, of: server, expecting: "HTTP/1.1 ")
  }
  usleep(1_000_000)

  try database.stop()
  let live = try Asking(
    server.request("GET", "/health/live"), of: server, pause: .milliseconds(5),
    expecting: "HTTP/1.1 200")
  let ready = try Asking(
    server.request("GET", "/health/ready"), of: server, pause: .milliseconds(50),
    expecting: "HTTP/1.1 ")
  let gaps = try own.largestGaps(over: .seconds(stop))
  let (lives, readies) = (try live.stop(), try ready.stop())
  database.resume()

  try own.expectProgress(within: .seconds(60))
  for asking in dispatches { _ = try asking.stop() }
  let connection = try Connection(server.port)
  let answer = try connection.ask(server.request("GET", "/health/ready"))
  try WrongResult.unless(answer.hasPrefix("HTTP/1.1 200"), "the server is not ready: \(answer)")
  try own.close()
  report.title("PostgreSQL is stopped for \(stop) s, with dispatches and leases under way")
  report.target("/health/live, the longest", lives.max() ?? 0, atMost: 50, "ms")
  report.target("/health/ready, the longest", readies.max() ?? 0, atMost: 1_000, "ms")
  report.figure("a thread that sleeps for 1 ms each time, its largest gap", gaps.thread, "ms")
  report.target("a task that does, its largest gap", gaps.task, atMost: 20, "ms")
}
