#if Server
  import FlowCases
  import HTTPTasks
  import Logging
  import Platform
  import Testing

  @testable import FlowHosting
  @testable import FlowKernel
  @testable import ServeCLI

  /// Host files at the start of a server, and when they are read again.
  @Suite struct HostFileReloadingTests {
    private final class Lines: Sendable {
      private let lines = Mutex<[String]>([])
      var all: [String] { lines.withLock { $0 } }
      func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct LineHandler: LogHandler {
      let lines: Lines
      var metadata: Logger.Metadata = [:]
      var logLevel = Logger.Level.info
      subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
      }
      func log(event: LogEvent) {
        let why = event.metadata?["why"].map { " \($0)" } ?? ""
        lines.add("\(event.level): \(event.message)\(why)")
      }
    }

    private let folder: ServedFolder

    init() throws {
      folder = try ServedFolder()
      try folder.write(
        """
        state {}
        action.go {}
        effect.go = { durable = true, run = function(self) self:job() end }
        """, to: "flow.lua")
    }

    @Test("a server whose host file has errors prints all of them, and creates no journal")
    func faults() throws {
      func serve(_ arguments: String...) throws -> (code: Int32, errors: String) {
        try ServerProcess.run(["serve", "flow.lua", "--port", "0"] + arguments, in: folder)
      }
      try folder.write("provide { job = worker { lease = 0, attempts = 0 } }", to: "a.host.lua")
      let (code, errors) = try serve("--host-file", "a.host.lua")
      #expect(code == 2)
      for option in ["lease", "attempts"] {
        #expect(errors.contains("a.host.lua:1: worker: \(option) must be"), "\(errors)")
      }
      let missing = try serve("--host-file", "none.host.lua")
      #expect(missing.code == 2 && missing.errors.contains("none.host.lua"), "\(missing.errors)")
      // The one beside the flow is used by itself.
      try folder.write("provide.user { job = worker {} }", to: "flow.host.lua")
      let beside = try serve()
      #expect(beside.code == 2)
      #expect(beside.errors.contains("flow.host.lua:1: flow.lua declares no scope user"))
      #expect(try folder.names == ["a.host.lua", "flow.host.lua", "flow.lua"])
    }

    @Test("unleased tasks get the queues of a reloaded host file; a file with errors is not used")
    func reload() async throws {
      try folder.write("provide { job = worker { queue = \"a\" } }", to: "flow.host.lua")
      let file = folder.url.appending(path: "flow.lua")
      let flow = try LoadedFlow(file)
      let capabilities = try ServedCapabilities(
        of: flow, at: file.path, .beside, .refuse, sender: HTTPTaskSender())
      let cases = try await Cases(
        of: flow, in: MemoryJournal(), options: HostOptions(clock: .virtual, report: { _ in })
      ) { capabilities.provide(to: &$0) }
      try await cases.create("a")
      try await cases["a"].dispatch("go")
      let lines = Lines()
      let reloading = HostFileReloading(
        capabilities: capabilities, name: "flow.host.lua", cases: cases,
        logger: Logger(label: "test") { _ in LineHandler(lines: lines) })
      for queue in ["b", "C"] {
        try folder.write("provide { job = worker { queue = \"\(queue)\" } }", to: "flow.host.lua")
        await reloading.reload()
        #expect(cases.tasks.queues == ["b"])
        #expect(try await cases.tasks.list(TaskQuery()).map(\.task.queue) == ["b"])
      }
      #expect(lines.all.count == 2 && lines.all[0] == "notice: the host file was reloaded")
      #expect(
        lines.all[1].hasPrefix("error: the host file was not reloaded: it has a fault")
          && lines.all[1].contains("flow.host.lua:1: worker: a queue has"), "\(lines.all)")
      try await cases.close()
    }
  }
#endif
