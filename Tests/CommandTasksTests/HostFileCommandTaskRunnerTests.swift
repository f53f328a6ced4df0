#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import Foundation
  import LuaRuntime
  import Testing

  @testable import CommandTasks

  /// Host files with commands in a program of one's own.
  @Suite(.timeLimit(.minutes(5))) struct HostFileCommandTaskRunnerTests {
    private let folder: URL
    private let sender = HTTPTaskSender()
    private let runner = CommandTaskRunner()

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func hostFile(_ text: String) throws -> HostFile {
      let url = folder.appending(path: "order.host.lua")
      try Data(text.utf8).write(to: url)
      return try HostFile(url)
    }

    private func cases(of flow: String, _ file: HostFile) async throws -> Cases {
      let flow = try LoadedFlow(source: flow, name: "order.lua")
      return try await Cases(of: flow, in: MemoryJournal()) { [sender, runner] in
        file.provide(to: &$0, sending: sender, running: runner)
      }
    }

    @Test("cases run the commands of a host file while they are open")
    func runs() async throws {
      let file = try hostFile(
        """
        provide { echo = command { "sh", "-c", "cat; echo >>\\"$0\\"", "\(folder.path)/{name}",
          args = { "name" } } }
        """)
      let cases = try await cases(
        of: """
          state { name = "", of = "" }
          action.ask {}
          internal.told { name = string, of = string }
          effect.ask = { durable = true, on_done = "told", run = function(self)
            local told = self:echo("log")
            return { name = told.args.name, of = told.case }
          end }
          function reduce.told(s, a) s.name = a.name; s.of = a.of end
          """, file)
      let one = try await cases.create("o-17")
      try await one.dispatch("ask")
      while try await one.state()["name"] != "log" { try await Task.sleep(for: .milliseconds(2)) }
      #expect(try await one.state()["of"] == "o-17")
      let log = try String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
      #expect(log == "\n")
      try await cases.close()
      await runner.close()
      await sender.close()
    }

    @Test("a failure that may be tried again is, and a final one ends the effect")
    func fails() async throws {
      let file = try hostFile(
        """
        provide { try = command { "sh", "-c", "[ -e \\"$0\\" ] && exit 3; touch \\"$0\\"; exit 75",
          "\(folder.path)/tried" } }
        """)
      let cases = try await cases(
        of: """
          state { why = "" }
          action.ask {}
          internal.failed { error = string }
          effect.ask = { durable = true, on_error = "failed", run = function(self)
            retry({ times = 5, wait = 0.01 }, function() self:try() end)
          end }
          function reduce.failed(s, a) s.why = a.error end
          """, file)
      let one = try await cases.create("a")
      try await one.dispatch("ask")
      while try await one.state()["why"] == "" { try await Task.sleep(for: .milliseconds(2)) }
      let why = try await one.state()["why"]?.stringValue ?? ""
      #expect(why.contains("try: exit 3"), "\(why)")
      try await cases.close()
    }

    @Test("a state that is left ends the program of its effect")
    func left() async throws {
      let file = try hostFile(
        """
        provide { wait = command { "sh", "-c",
          "trap 'echo 1 >\\"$0.ended\\"; exit' TERM; echo 1 >\\"$0\\"; while :; do sleep 0.05; done",
          "\(folder.path)/process" } }
        """)
      let cases = try await cases(
        of: """
          state {}
          action.start {}
          action.stop {}
          machine.work { initial = "idle", idle = { start = "busy" }, busy = { stop = "idle",
            effect = { durable = true, run = function(self) self:wait() end } } }
          """, file)
      let one = try await cases.create("a")
      func wait(for name: String) async throws {
        let path = folder.appending(path: name).path
        while !FileManager.default.fileExists(atPath: path) {
          try await Task.sleep(for: .milliseconds(5))
        }
      }
      try await one.dispatch("start")
      try await wait(for: "process")
      try await one.dispatch("stop")
      try await wait(for: "process.ended")
      try await cases.close()
      await runner.close()
    }
  }
#endif
