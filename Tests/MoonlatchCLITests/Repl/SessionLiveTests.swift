import Testing

@testable import MoonlatchCLI

/// The prompt with `--live`: you answer the tasks of workers.
@Suite struct SessionLiveTests {
  private static let flow = """
    state { sent = 0, id = none, problem = none }
    action.send { text = string }
    action.stop {}
    internal.sent { id = string }
    internal.failed { error = string }
    machine.post {
      initial = "idle",
      idle = { send = "sending" },
      sending = { sent = "idle", failed = "idle", stop = "idle" },
    }
    function reduce.sent(s, a) s.sent = s.sent + 1 s.id = a.id end
    function reduce.failed(s, a) s.problem = a.error end
    effect.send = { on_done = "sent", on_error = "failed", run = function(self, a)
      return { id = self:mail(a.text).id }
    end }
    """

  private let prompt: Prompt

  init() throws {
    prompt = try Prompt(
      SessionLiveTests.flow,
      hostFile: "provide { mail = worker { args = { \"text\" }, result = { id = string } } }")
  }

  @Test("a worker's task waits in memory until it is completed with a value of its type")
  func completed() throws {
    #expect(prompt.type(":tasks") == "no task is open")
    prompt.type("send { text = \"a\" }")
    #expect(prompt.type(":tasks") == "1  root.mail { text = \"a\" }")
    #expect(
      prompt.type(":complete 1 { id = 7 }")
        == "error: root.mail: result.id must be a string, got 7")
    #expect(prompt.type(":complete 1 { id = \"m-1\" }").contains("#2 sent"))
    #expect(prompt.type("s.id") == "\"m-1\"")
    #expect(prompt.type(":tasks") == "no task is open")
    prompt.type("send { text = \"b\" }")
    #expect(prompt.type(":tasks") == "2  root.mail { text = \"b\" }")
    #expect(prompt.type(":complete 1").contains("there is no open task 1"))
  }

  @Test("a worker's task that fails raises an error in its call")
  func failed() throws {
    prompt.type("send { text = \"a\" }")
    prompt.type(":fail 1 mailbox full")
    #expect(prompt.type("s.problem").hasSuffix("mail: mailbox full\""))
  }

  @Test("a stub wins over the host file, and opens no task")
  func stubbed() throws {
    prompt.type(":stub root.mail { id = \"stubbed\" }")
    prompt.type("send { text = \"a\" }")
    #expect(prompt.type("s.id") == "\"stubbed\"")
    #expect(prompt.type(":tasks") == "no task is open")
  }

  @Test("a task stays open over a reload, and is gone after an undo")
  func moved() throws {
    prompt.type("send { text = \"a\" }")
    #expect(prompt.type(":reload").hasPrefix("reloaded; the state was kept"))
    #expect(prompt.type(":tasks") == "1  root.mail { text = \"a\" }")
    #expect(prompt.type(":complete 1 { id = \"m-1\" }").contains("#2 sent"))
    prompt.type("send { text = \"b\" }")
    #expect(prompt.type(":tasks") == "2  root.mail { text = \"b\" }")
    prompt.type(":undo")
    #expect(prompt.type(":tasks") == "no task is open")
  }
}
