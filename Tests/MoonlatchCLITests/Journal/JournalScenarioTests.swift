import FlowHosting
import FlowJournal
import FlowKernel
import Foundation
import Testing

/// Scenarios that `moonlatch journal scenario` writes for flows that depend on the date.
@Suite struct JournalScenarioTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func file(_ name: String) -> URL { folder.url.appending(path: name) }

  private func journal(_ arguments: String...) throws -> Ran {
    try moonlatch(["journal"] + arguments, in: folder, input: Data())
  }

  @Test("a case of a flow that depends on the date is written as a scenario that passes")
  func calendar() throws {
    try folder.write(
      """
      state { sent = none, told = none }
      action.send {} action.tell {}
      local function until_monday()
        local today = date(born() + now())
        local days = (2 - today.wday) % 7
        return days * 86400 + 9 * 3600 - (today.hour * 3600 + today.min * 60 + today.sec)
      end
      machine.reminder {
        initial = "waiting",
        waiting = { send = "sent", tell = true, after = { send = until_monday } },
        sent = { tell = true },
      }
      function reduce.send(s) s.sent = date(born() + now()).day end
      function gate.tell(s) return date(born() + now()).wday == 2, "only on Mondays" end
      function reduce.tell(s) s.told = date(born() + now()).hour end
      """, to: "calendar.lua")
    let store = try SQLiteJournal(file: file("c.journal"))
    // A Friday, at 10.
    let host = try FlowHost(
      flow: file("calendar.lua"), journal: store,
      options: HostOptions(
        clock: .virtual, began: Date(timeIntervalSince1970: 1_795_773_600.25), print: { _ in },
        report: { _ in }))
    #expect(try host.dispatch("tell").refusal?.reason == "only on Mondays")
    try host.advance(.seconds(71 * 3_600))
    #expect(try host.dispatch("tell").isPassed)
    try host.stop()
    try store.close()
    let ran = try journal("scenario", "c.journal", "--case", "main", "--flow", "calendar.lua")
    #expect(ran.code == 0, "\(ran.errors)")
    #expect(ran.output.contains("given.born(\"2026-11-27T10:00:00.250000Z\")\n"), "\(ran.output)")
    #expect(ran.output.contains("sent = 30"))
    #expect(ran.output.contains("expect.change { told = 9 }"))
    #expect(try journal("replay", "c.journal", "--flow", "calendar.lua").code == 0)
  }
}
