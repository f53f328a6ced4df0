import Bench
import Foundation

/// How many dispatches a second a server answers, asked by wrk.
struct Wrk {
  private let script: URL
  private let program: String

  /// - Parameter folder: where its script is written.
  init(in folder: URL) throws {
    script = folder.appending(path: "dispatch.lua")
    // Each request goes to the next case, so that as many are at work as there are connections.
    try """
    local number, requests = 0, {}
    function init(arguments)
      local headers = { Authorization = "Bearer " .. arguments[1], ["Content-Type"] = "application/json" }
      for case = 0, 63 do
        requests[case] = wrk.format("POST", "/cases/c" .. case .. "/actions/increase", headers, '{"by":1}')
      end
    end
    function request()
      number = (number + 1) % 64
      return requests[number]
    end
    """.write(to: script, atomically: true, encoding: .utf8)
    program = "/usr/bin/wrk"
  }

  func rate(of server: Served, seconds: Int) throws -> Double {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "wrk", "-t", "1", "-c", "64", "-d", "\(seconds)", "-s", script.path,
      "http://127.0.0.1:\(server.port)", "--", server.token,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let rate = said.firstMatch(of: /Requests\/sec: +([0-9.]+)/).flatMap({ Double($0.1) }),
      !said.contains("Non-2xx"), !said.contains("Socket errors")
    else { throw WrongResult("wrk: \(said)") }
    return rate
  }
}
