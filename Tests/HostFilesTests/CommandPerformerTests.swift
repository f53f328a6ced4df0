import FlowKernel
import LuaRuntime
import Testing

@testable import HostFiles

/// Runs of command capabilities, and their outcomes.
@Suite struct CommandPerformerTests {
  private let trial: CommandTrial

  init() throws { trial = try CommandTrial("\"/bin/cat\"") }

  private func with(_ options: String) throws -> CommandTrial {
    try CommandTrial("\"/bin/cat\", \(options)")
  }

  @Test("a placeholder takes a value as it is, and no value becomes two arguments")
  func arguments() async throws {
    let trial = try CommandTrial(
      """
      "/bin/cat", "-n{n}", "--", "{path}", "{case}/{key}", "{call}", "{{{path}}",
      args = { "path", "n" }, timeout = "5s", max = 100
      """, scope: "user")
    let request = try await trial.request(
      ["path": "-a b; $(id) \"'\n", "n": 3], caseID: "o 1", key: "anna")
    #expect(request.program == "/bin/cat")
    #expect(
      request.arguments == [
        "-n3", "--", "-a b; $(id) \"'\n", "o 1/anna", "9f3c/o-17/e4/2", "{-a b; $(id) \"'\n}",
      ])
    #expect(request.timeout == 5 && request.mostBytes == 100)
  }

  @Test("standard input is JSON with the call, the case and all arguments")
  func input() async throws {
    let trial = try with("\"{path}\", args = { \"path\", \"more\" }")
    let request = try await trial.request(["path": "a/b", "more": ["x": [1, 2]]])
    #expect(
      String(decoding: request.input, as: UTF8.self)
        == #"{"args":{"more":{"x":[1,2]},"path":"a/b"},"call":"9f3c/o-17/e4/2","case":"o-17"}"#)
  }

  @Test("the environment is PATH, LANG and env")
  func environment() async throws {
    let trial = try CommandTrial(
      "\"/bin/cat\", env = { TOKEN = env.TOKEN, EMPTY = \"\" }",
      variables: ["TOKEN": "0123456789", "PATH": "/bin", "LANG": "C.UTF-8", "OTHER": "x"])
    #expect(
      try await trial.request().environment
        == ["PATH": "/bin", "LANG": "C.UTF-8", "TOKEN": "0123456789", "EMPTY": ""])
  }

  @Test("an output is the result: JSON as a value, another text as a string, nothing as none")
  func results() async throws {
    for (output, result) in [
      ("{\"id\": \"r-1\"}\n", ["id": "r-1"]), ("12\n", 12), ("null", .nil), ("", .nil),
      ("\n", .nil), ("ok\n", "ok"), ("ok\r\n", "ok"), ("a\nb\n\n", "a\nb\n"), ("{a", "{a"),
      (" ok", " ok"),
    ] as [(String, Value)] {
      #expect(try await trial.outcome(ofExit: 0, output, error: "noise").result == result)
    }
  }

  @Test("a result has the defaults of its type, and is a text if it fits as that alone")
  func types() async throws {
    let record = try with("result = { id = string, n = integer { default = 1 } }")
    #expect(
      try await record.outcome(ofExit: 0, "{\"id\":\"r-1\"}").result == ["id": "r-1", "n": 1])
    #expect(
      try await record.outcome(ofExit: 0, "{\"id\":7}").deadReason
        == "result.id must be a string, got 7")
    let text = try with("result = string")
    #expect(try await text.outcome(ofExit: 0, "0123\n").result == "0123")
    #expect(try await text.outcome(ofExit: 0, "1234567\n").result == "1234567")
    #expect(try await text.outcome(ofExit: 0, "\"a\"").result == "a")
    let number = try with("result = integer")
    #expect(try await number.outcome(ofExit: 0, "x").deadReason?.contains("integer") == true)
  }

  @Test("an output that is no text, or has null in a list, makes the task dead")
  func unfit() async throws {
    let binary = try await trial.outcome(of: .exited(code: 0, output: [0xff], error: []))
    #expect(binary.deadReason == "the output is not UTF-8 text")
    let null = try await trial.outcome(ofExit: 0, "[null]")
    #expect(null.deadReason?.contains("a list cannot contain null") == true, "\(null)")
  }

  @Test("the exit 75 and signals may be tried again, other exits are final")
  func exits() async throws {
    let busy = try await trial.outcome(ofExit: 75, "x", error: " locked\n by 7\n").failure
    #expect(busy?.message == "free: exit 75: locked by 7")
    #expect(busy?.isFinal == false && busy?.status == 75)
    let failed = try await trial.outcome(ofExit: 3).failure
    #expect(failed?.message == "free: exit 3" && failed?.isFinal == true && failed?.status == 3)
    let killed = try await trial.outcome(of: .signaled(9, error: Array("x".utf8))).failure
    #expect(killed?.message == "free: signal 9: x")
    #expect(killed?.isFinal == false && killed?.status == nil)
  }

  @Test("a message has the first KiB of standard error, without the texts of the environment")
  func messages() async throws {
    let long = String(repeating: "é", count: 5_000)
    let message = try await trial.outcome(ofExit: 1, error: long).failure?.message ?? ""
    #expect(message.utf8.count <= "free: exit 1: ".utf8.count + 1_024 && message.hasSuffix("é"))
    let secret = try CommandTrial(
      "\"/bin/cat\", env.TOKEN", variables: ["TOKEN": "0123456789"])
    let told = try await secret.outcome(ofExit: 1, error: "bad option 0123456789").failure
    #expect(told?.message == "free: exit 1: bad option $TOKEN")
    let refused = try await secret.outcome(of: .refused("no 0123456789"))
    #expect(refused.deadReason == "no $TOKEN")
  }

  @Test("a run that fails may be tried again, a refused one makes the task dead")
  func responses() async throws {
    let failure = try await trial.outcome(of: .failed("no result within 60 s")).failure
    #expect(failure?.message == "free: no result within 60 s" && failure?.isFinal == false)
    #expect(try await trial.outcome(of: .refused("gone")).deadReason == "gone")
    #expect(try await trial.outcome(of: .interrupted) == .interrupted)
  }

  @Test("a value that no program can be given makes a task dead that was opened before")
  func unsendable() async throws {
    let trial = try with("\"{case}\"")
    let (outcome, requests) = try await trial.perform(caseID: "-rf")
    #expect(outcome.deadReason?.contains("case begins with -") == true && requests.isEmpty)
  }
}
