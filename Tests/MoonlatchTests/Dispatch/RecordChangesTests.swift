import LuaRuntime
import Testing

@testable import FlowKernel

/// Changes of records in a transaction, merged.
@Suite struct RecordChangesTests {
  private func sum(_ parts: [LuaVM.RecordNote]...) -> [LuaVM.RecordNote] {
    var notes = RecordChanges()
    for part in parts { notes.add(part) }
    return notes.all
  }

  private func came(_ key: Value) -> LuaVM.RecordNote { .came(machine: 2, keys: [key]) }
  private func went(_ key: Value) -> LuaVM.RecordNote { .went(machine: 2, keys: [key]) }
  private func moved(_ from: Value, _ to: Value) -> LuaVM.RecordNote {
    .moved(machine: 2, from: [from], to: [to])
  }

  @Test("who has come and then moves has come there, and who then goes was never here")
  func coming() {
    #expect(sum([came("a")], [moved("a", "b")]) == [came("b")])
    #expect(sum([came("a")], [moved("a", "b")], [went("b")]) == [])
    #expect(sum([came("a"), came("b")], [went("a")]) == [came("b")])
  }

  @Test("who moves twice has moved once, and who comes back has not moved")
  func moving() {
    #expect(sum([moved("a", "b")], [moved("b", "c")]) == [moved("a", "c")])
    #expect(sum([moved("a", "b")], [moved("b", "a")]) == [])
    #expect(sum([moved("a", "b")], [went("b")]) == [went("a")])
  }

  @Test("what happens at once is told of the records as they stood before")
  func atOnce() {
    #expect(
      sum([came("a"), came("b")], [moved("a", "b"), moved("b", "a")]) == [came("b"), came("a")])
    #expect(sum([came("a")], [went("a"), came("a")]) == [came("a")])
    #expect(sum([came("a")], [went("a"), moved("x", "a")], [went("a")]) == [went("x")])
  }

  @Test("records of several machines are told apart")
  func machines() {
    let other = LuaVM.RecordNote.went(machine: 3, keys: ["a"])
    #expect(sum([came("a")], [other]) == [came("a"), other])
  }
}
