import Foundation
import Testing

/// `migrate --check` and `replay` run active durable effects against the new text.
@Suite struct JournalMigrateTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func flow(_ body: String) -> String {
    """
    state { log = list_of(string), problem = none }
    action.go { pin = optional(string { secret = true }) } internal.step { s = string }
    internal.failed { error = string }
    function reduce.step(s, a) table.insert(s.log, a.s) end
    function reduce.failed(s, a) s.problem = a.error end
    effect.go = { durable = true, on_error = "failed", run = function(self, a)
      \(body)
    end }
    """
  }

  private func play(_ input: String, case id: String = "main") throws {
    let ran = try moonlatch(
      ["repl", "f.lua", "--journal", "j", "--case", id], in: folder, input: Data(input.utf8))
    #expect(ran.code == 0, "\(ran.errors)")
  }

  @Test("migrate --check and replay name the case, the effect, its call and the recorded call")
  func deviations() throws {
    try folder.write(
      flow("local x = self:a(1, a.pin) sleep(1000) dispatch.step { s = x }"), to: "f.lua")
    try play(":clock virtual\n:stub root.a \"A\"\ngo { pin = \"4711-0815\" }\n:advance 5s\n")
    try play(":clock virtual\n:stub root.a \"A\"\n", case: "o-2")
    let before = try Data(contentsOf: folder.url.appending(path: "j"))
    let same = try moonlatch("journal", "migrate", "--check", "j", "f.lua", in: folder)
    #expect(same == Ran(code: 0, output: "2 cases: 2 fit, 0 not\n", errors: ""))
    try folder.write(
      flow("local x = self:b(1, a.pin) sleep(1000) dispatch.step { s = x }"), to: "new.lua")
    let why =
      "effect.go was changed while it was running: it asks for root.b(1, \"•••\") where "
      + "root.a(1, \"•••\") is recorded\n"
    let migrated = try moonlatch("journal", "migrate", "--check", "j", "new.lua", in: folder)
    #expect(
      migrated
        == Ran(code: 1, output: "main does not fit: \(why)2 cases: 1 fit, 1 not\n", errors: ""))
    let replayed = try moonlatch("journal", "replay", "j", "--flow", "new.lua", in: folder)
    #expect(
      replayed
        == Ran(code: 1, output: "main, entry 2: \(why)2 cases replayed, 1 differ\n", errors: ""))
    #expect(
      try moonlatch("journal", "replay", "j", "--flow", "f.lua", in: folder)
        == Ran(code: 0, output: "2 cases replayed, 0 differ\n", errors: ""))
    #expect(try Data(contentsOf: folder.url.appending(path: "j")) == before)
  }

  @Test("an effect with a branch for both texts fits, and so does a finished one")
  func revised() throws {
    try folder.write(flow("local x = self:a(1) sleep(1000) dispatch.step { s = x }"), to: "f.lua")
    try play(":clock virtual\n:stub root.a \"A\"\ngo()\n:advance 5s\n")
    try folder.write(
      flow(
        "local x if revised(\"b\") then x = self:b(1) else x = self:a(1) end sleep(1000) dispatch.step { s = x }"
      ), to: "f.lua")
    let branch = try moonlatch("journal", "migrate", "--check", "j", "f.lua", in: folder)
    #expect(branch.code == 0, "\(branch.output)")
    try play(":clock virtual\n:stub root.b \"B\"\ngo()\n:advance 2000s\ns.log\n")
    try folder.write(flow("self:c(1)"), to: "f.lua")
    let ended = try moonlatch("journal", "migrate", "--check", "j", "f.lua", in: folder)
    #expect(ended.code == 0, "\(ended.output)")
  }
}
