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

  @Test("a record that is added and then moved is added there, and one then removed never existed")
  func coming() {
    #expect(sum([came("a")], [moved("a", "b")]) == [came("b")])
    #expect(sum([came("a")], [moved("a", "b")], [went("b")]) == [])
    #expect(sum([came("a"), came("b")], [went("a")]) == [came("b")])
  }

  @Test("two moves are one move, and a move back is no change")
  func moving() {
    #expect(sum([moved("a", "b")], [moved("b", "c")]) == [moved("a", "c")])
    #expect(sum([moved("a", "b")], [moved("b", "a")]) == [])
    #expect(sum([moved("a", "b")], [went("b")]) == [went("a")])
  }

  @Test("simultaneous changes refer to the records before them")
  func atOnce() {
    #expect(
      sum([came("a"), came("b")], [moved("a", "b"), moved("b", "a")]) == [came("b"), came("a")])
    #expect(sum([came("a")], [went("a"), came("a")]) == [came("a")])
    #expect(sum([came("a")], [went("a"), moved("x", "a")], [went("a")]) == [went("x")])
  }

  @Test("records of several machines are distinct")
  func machines() {
    let other = LuaVM.RecordNote.went(machine: 3, keys: ["a"])
    #expect(sum([came("a")], [other]) == [came("a"), other])
  }
}
