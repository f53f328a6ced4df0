import Foundation
import Testing

@testable import MoonlatchCLI

/// Secrets at the prompt.
@Suite struct SecretsAtThePromptTests {
  private static let flow = """
    state {
      token = string { default = "", secret = true }, pin = integer { default = 0, secret = true },
      users = map_of { { name = string, password = string { secret = true } }, key = string },
      keys = list_of { { id = string, n = integer }, secret = true },
      sessions = map_of { integer, key = string { secret = true } },
    }
    action.login { user = string, password = string { secret = true, samples = { "sample-one" } }, pin = integer { secret = true } }
    function reduce.login(s, a)
      s.token, s.pin = "tok-" .. a.password, a.pin
      s.users[a.user] = { name = a.user, password = a.password }
      s.sessions["sess-" .. a.password] = 1
      table.insert(s.keys, { id = "key-" .. a.password, n = 77 })
    end
    view.user = function(s) return s.users.ann end
    """

  private func prompt() throws -> Prompt {
    let prompt = try Prompt(Self.flow)
    prompt.type("login { user = \"ann\", password = \"hunter22\", pin = 4321 }")
    return prompt
  }

  @Test("a transition is shown with secrets masked, in its views too")
  func commit() throws {
    let told = try Prompt(Self.flow).type(
      "login { user = \"ann\", password = \"hunter22\", pin = 4321 }")
    #expect(told.contains("pin: \"•••\" -> \"•••\""))
    #expect(told.contains("sessions[\"•••\"]: nil -> 1"))
    #expect(told.contains("view user: nil -> { name = \"ann\", password = \"•••\" }"))
    #expect(!told.contains("hunter22") && !told.contains("4321"))
  }

  @Test(
    "the state is shown with secrets masked, in full, in part and by path",
    arguments: [
      ("s.pin", "\"•••\""), (":state pin", "\"•••\""), (":state keys[1].n", "\"•••\""),
      ("s.keys", "\"•••\""), ("s.keys[1].n", "\"•••\""), ("s.keys[1]", "\"•••\""),
      ("{ s.keys[1] }", "{ { id = \"•••\", n = \"•••\" } }"),
      ("s.users", "{ ann = { name = \"ann\", password = \"•••\" } }"),
      ("s.users.ann", "{ name = \"ann\", password = \"•••\" }"),
      ("s.users.ann.password", "\"•••\""),
      ("s.sessions", "{ [\"•••\"] = 1 }"), ("s.users.ann.name", "\"ann\""),
      ("view.user()", "{ name = \"ann\", password = \"•••\" }"), ("\"x\" .. s.token", "\"x•••\""),
      ("print(s.token)", "| •••"),
    ])
  func shown(_ input: String, _ answer: String) throws {
    let told = try prompt().type(input)
    #expect(told == answer)
  }

  @Test(
    "no command shows a secret",
    arguments: [
      ":state", ":history", ":diff", ":diff 0 1", ":undo", ":views", ":actions", ":help login",
      ":help users", ":why login", ":why login { user = 1, password = 2, pin = \"hunter22\" }",
      ":help pin", ":timers", "login { user = \"bob\", password = 4321, pin = \"hunter22\" }",
    ])
  func commands(_ command: String) throws {
    let told = try prompt().type(command)
    #expect(!told.contains("hunter22") && !told.contains("4321"), "\(told)")
  }

  @Test("a saved scenario or transcript has the secrets that it needs, and says so")
  func saved() throws {
    let prompt = try prompt()
    #expect(
      prompt.type(":save ~/a.jsonl").hasSuffix(
        "plays it (secret values in it are not masked)"))
    #expect(
      prompt.type(":save ~/a.scenario.lua").contains("(secret values in it are not masked)"))
    let text = try String(
      contentsOf: prompt.folder.url.appending(path: "a.scenario.lua"), encoding: .utf8)
    #expect(text.contains("hunter22"))
    #expect(prompt.type(":load ~/a.jsonl").contains("no differences"))
  }
}
