import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage

/// `secret = true`: values of such a type are never shown.
@Suite struct SecretsTests {
  static let flow = """
    state {
      token = string { default = "", secret = true },
      pin = integer { default = 0, secret = true, min = 0, max = 9999 },
      users = map_of { { name = string, password = string { secret = true, min_length = 4 },
        level = one_of { "low", "high", default = "low", secret = true } }, key = string },
      keys = list_of { { id = string, n = integer }, secret = true },
      sessions = map_of { integer, key = string { secret = true, max_length = 12 } },
      notes = list_of { string { secret = true }, max_length = 2 },
      blob = optional(any { secret = true }), note = "",
    }
    action.login { user = string, password = string { secret = true }, pin = integer { secret = true, max = 9999 } }
    action.fill {} action.run { how = integer }
    function reduce.login(s, a)
      s.token = "tok-" .. a.password  s.pin = a.pin
      s.users[a.user] = { name = a.user, password = a.password }
      print("welcome " .. a.password)
    end
    function reduce.fill(s)
      table.insert(s.keys, { id = "key-one", n = 77 })
      s.sessions["sess-1234"] = 5
      table.insert(s.notes, "private")
      s.blob = { a = { "deep-one" } }
    end
    function reduce.run(s, a)
      if a.how == 1 then s.pin = "four" end
      if a.how == 2 then s.users.ann.level = "hihg" end
      if a.how == 3 then s.users.bob = { name = "bob", passwrd = "letmein" } end
      if a.how == 4 then s.users.bob = "letmein" end
      if a.how == 5 then s.keys[1].n = "letmein" end
      if a.how == 6 then s.sessions["sess-1234"] = "five" end
      if a.how == 7 then s.sessions["far-too-long-a-key"] = 1 end
      if a.how == 8 then for _ = 1, 3 do table.insert(s.notes, "x") end end
      if a.how == 9 then s.users.bob = { name = "bob", password = "abc" } end
    end
    """

  private func trial() throws -> Trial {
    let trial = try Trial(Self.flow, name: "shop.lua")
    try trial.play("login", ["user": "ann", "password": "hunter22", "pin": 4321])
    try trial.play("fill")
    return trial
  }

  @Test("a secret is stored unmasked in the state, the patch and the payload")
  func kept() throws {
    let trial = try trial()
    #expect(try trial.state("pin") == 4321)
    #expect(try trial.host.state()["users"]?["ann"]?["password"] == "hunter22")
    let commit = try #require(try trial.host.commits.first)
    #expect(commit.payload["password"] == "hunter22")
    #expect(commit.writes.changes.contains { $0.new == "tok-hunter22" && $0.path == "token" })
  }

  @Test("the description of a patch masks secrets: fields, nested ones, lists, keys")
  func patches() throws {
    let told = try trial().host.commits.map { $0.writes.description }
    #expect(
      told[0] == """
        token: "•••" -> "•••"
        pin: "•••" -> "•••"
        users.ann: nil -> { level = "•••", name = "ann", password = "•••" }
        """)
    #expect(
      told[1] == """
        keys[1]: inserted "•••"
        sessions["•••"]: nil -> 5
        notes[1]: inserted "•••"
        blob: nil -> "•••"
        """)
  }

  @Test("equal patches with secrets are equal, and a reversed change is masked too")
  func changes() throws {
    let (one, other) = (try trial().host.commits, try trial().host.commits)
    #expect(one[0].writes == other[0].writes)
    #expect(one[0].writes.hashValue == other[0].writes.hashValue)
    let change = try #require(one[0].writes.changes.last)
    #expect(change.reversed.reversed == change)
    #expect(change.reversed.description.contains("hunter22") == false)
    #expect(change.reversed.old["password"] == "hunter22")
  }

  @Test(
    "an error about an invalid value in the state does not show a secret",
    arguments: [
      (1, "state.pin must be an integer from 0 to 9999, got \"•••\""),
      (2, "state.users.ann.level must be one of \"low\", \"high\", got \"•••\""),
      (3, "state.users.bob has no field passwrd; did you mean password? (put here)"),
      (4, "state.users.bob must be a record of level, name, password, got \"•••\""),
      (5, "state.keys[1].n must be an integer, got \"•••\""),
      (6, "state.sessions[\"•••\"] must be an integer, got \"five\""),
      (
        7,
        "the key of state.sessions[\"•••\"] must be a string of at most 12 characters, got \"•••\""
      ),
      (8, "state.notes must be a list of at most 2 strings, got 4 when reduce.run ended"),
      (
        9,
        "state.users.bob.password must be a string of at least 4 characters, got \"•••\" (put here)"
      ),
    ])
  func misfits(_ how: Int, _ sentence: String) throws {
    let told = try trial().play("run", ["how": .integer(how)])
    #expect(told.hasSuffix(sentence), "\(told)")
  }

  @Test("an error about an invalid payload does not show a secret")
  func payloads() throws {
    let told = try trial().play("login", ["user": "ann", "password": 17, "pin": 77_777])
    #expect(
      told == "action login: password must be a string, got \"•••\"; "
        + "pin must be an integer of at most 9999, got \"•••\"")
  }

  @Test("secrets in printed lines and in errors of effects are masked")
  func printed() throws {
    let trial = try Trial(
      Self.flow + "\nfunction effect.login(self, a) error(\"cannot mail \" .. a.password) end")
    try trial.play("login", ["user": "ann", "password": "hunter22", "pin": 1])
    #expect(trial.printed.all == ["welcome •••"])
    #expect(trial.told().first?.hasSuffix("cannot mail •••") == true)
  }

  @Test("secrets in the payloads of pending work are masked")
  func pendingWork() throws {
    let trial = try Trial(
      """
      state {}
      action.go {} action.later { code = string { secret = true } }
      function effect.go() after(5, "later", { code = "hunter22" }) end
      """)
    try trial.play("go")
    let item = try #require(try trial.host.pendingWork.first)
    #expect(item.payload == ["code": "hunter22"])
    #expect(item.call == "later { code = \"•••\" }")
  }

  @Test("an error about a reload that does not fit does not show secrets")
  func reload() throws {
    let old = Self.flow
    let narrowed = old.replacing("min = 0, max = 9999 },\n", with: "max = 9 },\n")
    let engine = try Engine(
      LoadedFlow(source: old), limits: Limits(), log: ScriptLog { _ in })
    _ = engine.dispatch("login", ["user": "ann", "password": "hunter22", "pin": 4321])
    let new = try Engine(
      LoadedFlow(source: narrowed), limits: Limits(), log: ScriptLog { _ in })
    let error = #expect(throws: DispatchFailure.self) { try new.adoptState(of: engine) }
    #expect(
      error?.message
        == "the state does not fit: state.pin must be an integer of at most 9, got \"•••\"")
  }

  @Test("moving, undoing and redoing secrets preserves their values")
  func undo() throws {
    let trial = try trial()
    let state = try trial.host.state()
    try trial.host.undo()
    try trial.host.undo()
    try trial.host.redo()
    try trial.host.redo()
    #expect(try trial.host.state() == state)
  }

  @Test("the secret option must be true or false")
  func faults() {
    let error = #expect(throws: FlowError.self) {
      try LoadedFlow(source: "state { a = string { default = \"\", secret = \"yes\" } }")
    }
    #expect(error?.description.contains("secret must be true or false, got yes") == true)
  }

  @Test("a flow without secret types has no masking")
  func nothing() throws {
    let flow = try LoadedFlow(source: "state { a = string { default = \"\", secret = false } }")
    #expect(flow.flow.secrets == nil)
  }
}

/// Texts of secrets within the output of scripts.
@Suite struct SecretTextsTests {
  private func hiding(_ text: String, _ secrets: Value...) -> String {
    let texts = SecretTexts()
    secrets.forEach(texts.note)
    return texts.hiding(in: text)
  }

  @Test("secret texts of at least four bytes are found, the longest first, quoted ones too")
  func found() {
    #expect(hiding("a hunter22, hunter2", "hunter2", "hunter22") == "a •••, •••")
    #expect(hiding("cat and dog", "cat", "dog") == "cat and dog")
    #expect(hiding("it is \"a\\\"bcd\"", "a\"bcd") == "it is \"•••\"")
    #expect(hiding("abcd", ["k": ["x", "abcd"]]) == "•••")
    #expect(hiding("", "abcd") == "")
  }

  @Test("a truncated secret is recognized by its beginning, and characters are never split")
  func cut() {
    let long = String(repeating: "0123456789", count: 10)
    #expect(hiding("x \(long.prefix(30))... y", .string(long)) == "x •••... y")
    #expect(hiding("x \(long.prefix(10))", .string(long)) == "x 0123456789")
    #expect(hiding("0123456789abcdefgé", "0123456789abcdefgè") == "•••é")
  }

  @Test("only the latest thousand secret texts are known")
  func bounded() {
    let texts = SecretTexts()
    for number in 0...1_000 { texts.note(.string("text\(number).")) }
    #expect(texts.hiding(in: "text0. text1000.") == "text0. •••")
  }
}
