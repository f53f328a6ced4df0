#if Server
  import Foundation
  import HTTPTesting
  import Testing

  @testable import FlowServer
  @testable import ServeCLI

  /// The programs and commands of the page Serving, run with a server.
  @Suite(.serialized, .timeLimit(.minutes(3))) struct ServingPageTests {
    private static let page = ServingPage()
    private let folder: ServedFolder

    init() throws {
      folder = try ServedFolder()
      for name in ["order.lua", "order.host.lua", "worker.py", "worker.mjs"] {
        try folder.write(try Self.page.text(of: name), to: name)
      }
    }

    /// Returns true if a program is on the path.
    private static func has(_ program: String) -> Bool {
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
      }
    }

    /// Waits until the order is paid; records an issue if that does not happen in time.
    private func expectPaid(_ server: ServerProcess) async throws {
      var answer = ""
      for _ in 0..<600 {
        answer = try await server.request("GET", "/cases/o-17/state")
        if answer.contains("\"order\":\"done\"") { break }
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(answer.contains("\"receipt\":\"r-"), "\(answer)")
      #expect(answer.contains("/o-17/e1/retry1.1\""), "\(answer)")
      #expect(try await server.request("GET", "/tasks").contains("{\"tasks\":[]}"))
    }

    private func perform(_ program: String...) async throws {
      let server = try ServerProcess(["order.lua"], in: folder)
      #expect(server.told.contains("root.charge  workers of bank, lease 30 s  order.host.lua:3\n"))
      let paid = try WorkerProcess(
        ["sh", "-e", "-c", Self.page.text(of: "pay.sh")], of: server, folder)
      #expect(paid.waitForEnd() == 0)
      #expect(try await server.request("GET", "/tasks").contains("\"state\":\"ready\""))
      let worker = try WorkerProcess(program, of: server, folder)
      try await expectPaid(server)
      worker.killNow()
      let asked = try WorkerProcess(
        ["sh", "-e", "-c", Self.page.text(of: "status.sh")], of: server, folder)
      #expect(asked.waitForEnd() == 0)
    }

    @Test("the worker in Python pays the order of the page")
    func python() async throws { try await perform("python3", "-B", "worker.py") }

    @Test(
      "the worker in JavaScript pays the order of the page",
      .enabled(
        if: ServingPageTests.has("node"), "node is missing: \"apt-get install nodejs\" installs it")
    )
    func javaScript() async throws { try await perform("node", "worker.mjs") }

    @Test("an order is paid though the server is killed while its task is open")
    func killed() async throws {
      let first = try ServerProcess(["order.lua"], in: folder)
      #expect(try await first.status("POST", "/cases/o-17") == 201)
      #expect(
        try await first.status("POST", "/cases/o-17/actions/pay", "{\"cents\": 250}") == 200)
      first.killNow()
      let second = try ServerProcess(["order.lua"], in: folder)
      #expect(second.told.contains("tasks: 1 open, 0 dead (GET /tasks?state=dead)\n"))
      let worker = try WorkerProcess(["python3", "-B", "worker.py"], of: second, folder)
      defer { worker.killNow() }
      try await expectPaid(second)
    }

    @Test("each worker has at most 30 lines", arguments: ["worker.py", "worker.mjs"])
    func lengths(name: String) throws {
      #expect(
        try Self.page.text(of: name).split(separator: "\n", omittingEmptySubsequences: false)
          .dropLast().count <= 30)
    }

    @Test("the page lists every option of serve")
    func options() {
      for option in ServeCommand.helpMessage().matches(of: /--[a-z-]+/)
      where !["--version", "--help"].contains(option.output) {
        #expect(Self.page.text.contains("`\(option.output)"), "no \(option.output)")
      }
    }

    @Test("the page lists every type of problem")
    func problems() {
      for name in ProblemPages.texts.keys {
        #expect(Self.page.text.contains("`/problems/\(name)`"), "no \(name)")
      }
    }
  }
#endif
