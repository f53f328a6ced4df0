import Foundation
import Testing

/// Tasks of a stored case, which are answered by hand at the prompt without `--live`.
@Suite struct TasksTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      state { receipt = none, problem = none }
      action.pay { cents = integer }
      internal.paid { receipt = string }
      internal.failed { error = string }
      function reduce.paid(s, a) s.receipt = a.receipt end
      function reduce.failed(s, a) s.problem = a.error end
      effect.pay = {
        durable = true, on_done = "paid", on_error = "failed",
        run = function(self, a) return { receipt = self:charge(a.cents).id } end,
      }
      """, to: "till.lua")
    try folder.write(
      """
      provide { charge = http { "POST", env.MOONLATCH_NO_BANK .. "/charges",
        args = { { "cents", integer } }, result = { id = string } } }
      """, to: "till.host.lua")
  }

  private func repl(_ input: String, _ options: String...) throws -> Ran {
    try moonlatch(
      ["repl", "till.lua", "--journal", "j.journal"] + options, in: folder, input: Data(input.utf8))
  }

  @Test("a call of a capability waits, also over sessions, until it is completed by hand")
  func completed() throws {
    let first = try repl(
      "pay { cents = 250 }\n:tasks\n:complete 1 { id = 7 }\n:complete 1\n", "--keep-going")
    #expect(first.output.contains("\n1  root.charge { cents = 250 }"), "\(first.output)")
    #expect(first.errors.contains("root.charge: result.id must be a string, got 7"))
    let second = try repl(":tasks\n:complete 1 { id = \"r-1\" }\ns.receipt\n:tasks\n")
    #expect(second.code == 0, "\(second.errors)")
    #expect(second.output.contains("1  root.charge { cents = 250 }"), "\(second.output)")
    #expect(second.output.contains("#2 paid"), "\(second.output)")
    #expect(second.output.hasSuffix("\n\"r-1\"\nno task is open\n"), "\(second.output)")
    #expect(try repl("s.receipt\n").output.hasSuffix("\n\"r-1\"\n"))
  }

  @Test("a task that fails raises an error in its call")
  func failed() throws {
    let ran = try repl("pay { cents = 250 }\n:fail 1 no credit\ns.problem\n")
    #expect(ran.code == 0, "\(ran.errors)")
    #expect(ran.output.hasSuffix("charge: no credit\"\n"), "\(ran.output)")
  }

  @Test("wrong numbers of tasks, and a case without a journal or a host file, are errors")
  func mistakes() throws {
    let ran = try repl(":tasks\n:complete x 1\n:fail 9 no\n:fail\n", "--keep-going")
    #expect(ran.output.hasSuffix("\nno task is open\n"), "\(ran.output)")
    for part in [
      ":complete ID VALUE takes the number of a task, as :tasks shows it, not \"x\"",
      "there is no open task 9; :tasks lists them", ":fail ID TEXT takes the number of a task",
    ] { #expect(ran.errors.contains(part), "\(ran.errors)") }
    let none = try repl("pay { cents = 250 }\n", "--host-file", "none", "--case", "b")
    #expect(none.errors.contains("scope root has no charge"), "\(none.errors)")
    let unstored = try moonlatch(["repl", "till.lua"], in: folder, input: Data(":tasks\n".utf8))
    #expect(
      unstored.errors.contains("only a case in a journal, or with --live, has tasks"),
      "\(unstored.errors)")
  }

  @Test("a host file with errors is reported, and leaves no journal")
  func faults() throws {
    try folder.write("provide { charge = worker { lease = 0 } }", to: "till.host.lua")
    let ran = try repl("s.receipt\n")
    #expect(ran.code == 2 && ran.errors.contains("till.host.lua:1: worker: lease must be"))
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "j.journal").path))
    let unstored = try moonlatch(
      ["repl", "till.lua", "--host-file", "none"], in: folder, input: Data())
    #expect(unstored.errors.contains("--host-file is only for --journal and --live."))
  }
}
