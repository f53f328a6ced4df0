import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

@testable import FlowInspector

@Suite struct InspectionTests {
  private func played() async throws -> (Inspection, Cases) {
    let cases = try await Shop.cases()
    try await cases.create("a")
    try await cases["a"].dispatch("pay")
    try await cases["a"].dispatch("place", ["cents": 250], by: "ann")
    try await cases["a"].dispatch("tell", ["pin": "hidden-4711"])
    return (Inspection(InspectedCases(cases)), cases)
  }

  @Test("the timeline has commits, the commits that they caused, and rejections")
  func timeline()
    async throws
  {
    let (inspection, _) = try await played()
    let rows = try await inspection.rows(of: "a", from: 1, limit: 100)
    #expect(
      rows.told == [
        "begins snapshot", "pay refused", "place passed", "say passed", "tell passed",
      ])
    let refused = rows["rows"]?[1]
    #expect(refused?["k"] == "machine order")
    #expect(refused?["y"]?.stringValue?.contains("pay is not possible in empty") == true)
    #expect(rows["rows"]?[2]?["b"] == "ann")
    #expect(rows["rows"]?[3]?["c"] == 1)
    #expect(rows["rows"]?[2]?["m"] == [0])
  }

  @Test("a row says how many rejected dispatches an entry has no space for")
  func droppedRejections() async throws {
    let journal = MemoryJournal()
    let options = HostOptions(clock: .virtual, keepsRefusals: true, report: { _ in })
    let host = try FlowHost(Shop.flow(), journal: journal, case: "a", options: options)
    try await host.dispatch(batch: Array(repeating: (action: "pay", payload: [:]), count: 1_002))
    try await host.stop()
    let cases = try await Cases(of: Shop.flow(), in: journal, options: options)
    let rows = try await Inspection(InspectedCases(cases)).rows(of: "a", from: 2, limit: 1)
    #expect(rows.told.count == 1_001)
    #expect(rows.told.last == "2 more rejected dropped")
    #expect(rows["rows"]?.listValue?.last?["y"] == "an entry of the journal has no space for them")
    try await cases.close()
  }

  @Test("a row has its changes, and the states directly before and after it")
  func row()
    async throws
  {
    let (inspection, _) = try await played()
    let row = try await inspection.row(3, 0, of: "a")
    #expect(row["a"] == "place")
    #expect(row["changes"]?.listValue?.count == 2)
    let note: (Value?) -> Value? = { state in
      state?["r"]?.listValue?.first { $0[0] == "note" }?[1]
    }
    #expect(note(row["before"]) == "s")
    // The commit that follows is in the same entry, and has not happened yet.
    #expect(note(row["after"]) == "s")
    #expect(note(try await inspection.row(3, 1, of: "a")["after"]) == "sthanks")
    #expect(row["activeBefore"]?[0]?["on"] == ["empty"])
    #expect(row["activeAfter"]?[0]?["on"] == ["open"])
  }

  @Test("secrets are masked everywhere")
  func secrets() async throws {
    let (inspection, cases) = try await played()
    var told = await JSONText.text(try inspection.rows(of: "a", from: 1, limit: 100))
    for seq in 1...3 {
      await told += JSONText.text(try inspection.row(seq, 0, of: "a"))
      told += JSONText.text(try await inspection.moment(of: "a", at: seq))
      await told += JSONText.text(try inspection.scenario(of: "a", from: 1, to: seq))
    }
    told += JSONText.text(try await inspection.moment(of: "a", at: nil))
    let answer = try await inspection.dispatch(
      "tell", json: ["pin": "hidden-4712"], at: "a", by: nil)
    told += JSONText.text(answer) + JSONText.text(try inspection.model())
    #expect(told.contains("•••"))
    #expect(!told.contains("hidden-47"))
    _ = cases
  }

  @Test("a moment of the past says which actions were allowed then, and changes nothing")
  func past()
    async throws
  {
    let (inspection, cases) = try await played()
    let before = try await cases["a"].summary()
    let then = try await inspection.moment(of: "a", at: 1)
    #expect(then["may"]?["place"]?["may"] == true)
    #expect(then["may"]?["pay"]?["may"] == false)
    #expect(then["may"]?["pay"]?["who"] == "machine order")
    let now = try await inspection.moment(of: "a", at: nil)
    #expect(now["may"]?["pay"]?["may"] == true)
    #expect(now["may"]?["place"]?["may"] == false)
    #expect(now["active"]?[0]?["on"] == ["open"])
    #expect(now["pending"]?[0]?["what"] == "remind")
    #expect(now["pending"]?[0]?["kind"] == "timer")
    #expect(try await cases["a"].summary() == before)
  }

  @Test("a fork starts in the state of the original at that entry")
  func fork() async throws {
    let (inspection, cases) = try await played()
    try await inspection.fork("a", at: 1, as: "b")
    #expect(try await cases["b"].view("status") == "empty")
    #expect(try await cases["a"].view("status") == "open")
  }

  @Test("a read-only inspection changes nothing")
  func readOnly() async throws {
    let cases = try await Shop.cases()
    try await cases.create("a")
    let inspection = Inspection(InspectedCases(cases), isReadOnly: true)
    await #expect(throws: InspectorMistake.self) {
      try await inspection.dispatch("place", json: ["cents": 1], at: "a", by: nil)
    }
    await #expect(throws: InspectorMistake.self) { try await inspection.create("b") }
    await #expect(throws: InspectorMistake.self) { try await inspection.fork("a", at: 1, as: "b") }
    #expect(try await cases["a"].summary()?.seq == 1)
  }

  @Test("a range is exported as a scenario that starts in the state before it")
  func range() async throws {
    let (inspection, cases) = try await played()
    try await cases["a"].dispatch("pay")
    let whole = try await inspection.scenario(of: "a", from: 1, to: 5)["text"]?.stringValue ?? ""
    #expect(whole.contains("pass.place { cents = 250 }"))
    #expect(whole.contains("-- followed by say"))
    #expect(!whole.contains("given {"))
    let born = WallTime.exact(try #require(try await cases["a"].summary()).born)
    #expect(whole.contains("given.born(\"\(born.replacing(".000000Z", with: "Z"))\")"))
    let part = try await inspection.scenario(of: "a", from: 5, to: 5)["text"]?.stringValue ?? ""
    #expect(part.contains("order = \"open\""))
    #expect(part.contains("pass.pay()"))
    #expect(!part.contains("pass.place"))
  }

  @Test("the update stream sends the entries after a given one, then new ones")
  func news() async throws {
    let (inspection, cases) = try await played()
    var news = try await inspection.news(of: "a", after: 3).makeAsyncIterator()
    let first = try await news.next()
    #expect(first?.seq == 4)
    #expect(first?.rows.told == ["tell passed"])
    try await cases["a"].dispatch("say", ["text": "x"])
    #expect(try await news.next()?.rows.told == ["say passed"])
  }

  @Test("an unknown case is an error that suggests a similar id")
  func unknownCase() async throws {
    let (inspection, cases) = try await played()
    try await cases.create("order-17")
    await #expect {
      try await inspection.moment(of: "order-71", at: nil)
    } throws: { "\($0)".contains("did you mean order-17?") }
  }

  @Test("a rejected dispatch is streamed at once if it has no entry")
  func refusals() async throws {
    let cases = try await Shop.cases(keepingRefusals: false)
    let one = try await cases.create("a")
    let inspection = Inspection(InspectedCases(cases))
    var news = try await inspection.news(of: "a", after: 1).makeAsyncIterator()
    try await one.dispatch("pay", by: "ann")
    let refused = try #require(try await news.next())
    #expect(refused.seq == 1)
    #expect(refused.rows["refused"]?["a"] == "pay")
    #expect(refused.rows["refused"]?["o"] == "refused")
    #expect(refused.rows["refused"]?["b"] == "ann")
    #expect(try await one.summary()?.seq == 1)
  }

  @Test("a case is exported with all its entries, and no secret")
  func export() async throws {
    let (inspection, cases) = try await played()
    let last = try await #require(try cases["a"].summary()).seq
    var (from, rows, first): (Int, [Value], Value?) = (1, [], nil)
    while from <= last {
      let part = try await inspection.export(of: "a", from: from, limit: 2)
      first = first ?? part["case"]
      rows += part["rows"]?.listValue ?? []
      from = (part["last"]?.integerValue ?? last) + 1
    }
    #expect(first?["id"] == "a")
    #expect(first?["state"]?["order"] == .some(try await cases["a"].state()["order"] ?? .nil))
    let all = try await inspection.rows(of: "a", from: 1, limit: 1_000)["rows"]?.listValue ?? []
    #expect(rows.map { $0["action"] } == all.map { $0["a"] })
    #expect(rows.contains { $0["payload"]?["cents"] == 250 || $0["payload"]?["cents"] == 1 })
    let text = JSONText.text(.list(rows)) + JSONText.text(first ?? .nil)
    #expect(!text.contains("geheim"))
    await #expect(throws: InspectorMistake.self) {
      try await inspection.export(of: "z", from: 1, limit: 1)
    }
  }

  @Test("a case can be ended and retried, but not by a read-only inspection")
  func acting() async throws {
    let (inspection, cases) = try await played()
    try await inspection.retry("a")
    let readOnly = Inspection(InspectedCases(cases), isReadOnly: true)
    await #expect(throws: InspectorMistake.self) { try await readOnly.end("a") }
    await #expect(throws: InspectorMistake.self) { try await readOnly.retry("a") }
    #expect(try await cases["a"].summary()?.ended == nil)
    try await inspection.end("a")
    #expect(try await cases["a"].summary()?.ended != nil)
    await #expect(throws: InspectorMistake.self) { try await inspection.end("z") }
  }

  @Test("a moment lists waiting effects with what they wait for, and failed effects")
  func effects() async throws {
    let flow = try LoadedFlow(
      source: """
        state {} action.nap {} action.fall {}
        function effect.nap() sleep(50) end
        function effect.fall() error("no luck", 0) end
        """, name: "nap.lua")
    let cases = try await Cases(
      of: flow, in: MemoryJournal(), options: HostOptions(clock: .virtual, report: { _ in }))
    let one = try await cases.create("a")
    for action in ["nap", "fall"] { try await one.dispatch(action) }
    let inspection = Inspection(InspectedCases(cases))
    for seq in [nil, 3] {
      let moment = try await inspection.moment(of: "a", at: seq)
      let effect = moment["pending"]?[0]
      #expect(effect?["what"] == "effect.nap")
      #expect(effect?["status"] == "sleeping")
      #expect(effect?["waits_for"]?[0]?["until"] == .number(50))
      #expect(moment["failed"]?[0]?["effect"] == "effect.fall")
      #expect(moment["failed"]?[0]?["seq"] == 3)
    }
    #expect(try await inspection.moment(of: "a", at: 2)["failed"] == [])
  }

  @Test("an action that was queued at a moment of the past is listed once")
  func queued() async throws {
    let flow = try LoadedFlow(
      source: """
        state {} action.go {} internal.add {}
        effect.go = { durable = true, run = function(self) dispatch.add() self:ask() end }
        """, name: "ask.lua")
    let cases = try await Cases(
      of: flow, in: MemoryJournal(), options: HostOptions(clock: .virtual, report: { _ in })
    ) { scopes in scopes.root.provide("ask") { "answer" } }
    let one = try await cases.create("a")
    try await one.dispatch("go")
    // The call was kept before it was made: the action waited then.
    let moment = try await Inspection(InspectedCases(cases)).moment(of: "a", at: 2)
    let pending = moment["pending"]?.listValue ?? []
    #expect(pending.filter { $0["kind"] == "queued" }.map { $0["what"] } == ["add"])
  }
}
