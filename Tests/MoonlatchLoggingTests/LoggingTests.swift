import FlowHosting
import FlowKernel
import Logging
import LuaRuntime
import MoonlatchLogging
import Platform
import Testing

@Suite struct LoggingTests {
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  private struct Handler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
      let more = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      let line = (["\(event.level) \(event.message)"] + more).joined(separator: " ")
      lines.all.withLock { $0.append(line) }
    }
  }

  @Test("commits, printed lines and errors are logged, each at its level")
  func levels() throws {
    let lines = Lines()
    let logger = Logger(label: "flow") { _ in Handler(lines: lines) }
    var options = HostOptions(clock: .virtual)
    options.log(to: logger)
    let host = try FlowHost(
      source: """
        state { n = 0 }
        action.add {} function reduce.add(s) s.n = s.n + 1 end
        function effect.add() print("added") error("late") end
        """, options: options)
    try host.logCommits(to: logger, level: .notice)
    try host.dispatch("add")
    let all = lines.all.withLock { $0 }
    #expect(all.count == 3)
    #expect(all.contains("info added host=flow.lua"))
    #expect(all.contains { $0.hasPrefix("warning ") && $0.contains("late") })
    #expect(
      all.last?.hasPrefix("notice add passed (#1) action=add host=flow.lua patch=[") == true,
      "\(all)")
  }

  @Test("script output cannot end a line of the log or control the terminal that shows it")
  func controls() throws {
    let lines = Lines()
    let logger = Logger(label: "flow") { _ in Handler(lines: lines) }
    let host = try FlowHost(
      source: """
        state { byName = map {} }
        action["go\\27[2J"] {}
        reduce["go\\27[2J"] = function(s) s.byName["a\\27]0;x\\7\\n"] = 1 end
        """, options: HostOptions(clock: .virtual))
    try host.logCommits(to: logger)
    try host.dispatch("go\u{1b}[2J")
    let all = lines.all.withLock { $0 }
    #expect(all.count == 1)
    #expect(all.allSatisfy { !$0.unicodeScalars.contains { $0.value < 32 } }, "\(all)")
  }

  @Test("hosts that share options have different ids in the log, and log commits while they live")
  func ids() throws {
    let lines = Lines()
    let logger = Logger(label: "flow") { _ in Handler(lines: lines) }
    let flow = try LoadedFlow(
      source: """
        action.go {} state {}
        function effect.go() print("gone") error("late") end
        """)
    var options = HostOptions(clock: .virtual)
    options.log(to: logger)
    for number in 1...2 {
      options.id = "order \(number)"
      let host = try FlowHost(flow, options: options)
      try host.logCommits(to: logger)
      try host.dispatch("go")
    }
    let all = lines.all.withLock { $0 }.map { $0.split(separator: "\n")[0] }
    for number in 1...2 {
      #expect(all.contains("info gone host=order \(number)"), "\(all)")
      #expect(all.contains { $0.hasPrefix("debug go passed (#1) action=go host=order \(number)") })
      #expect(all.contains { $0.hasPrefix("warning effect.go did not finish") })
    }
    #expect(all.count == 6)
  }
}
