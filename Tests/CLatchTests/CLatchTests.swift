import CLatch
import Testing

@Suite struct CLatchTests {
  @Test("the linked Lua is version 5.4")
  func version() { #expect(latch_lua_version() == 504) }

  @Test("a VM opens with a limit and without one", arguments: [0, 1 << 20])
  func opens(limit: Int) throws {
    let vm = try #require(latch_open(limit))
    defer { latch_close(vm) }
    #expect(latch_memory_used(vm) > 0)
    #expect(limit == 0 || latch_memory_used(vm) <= limit)
  }

  @Test(
    "a VM is not opened if its memory limit is too small for it",
    arguments: [1, 2, 100, 1000, 10_000])
  func noRoom(limit: Int) { #expect(latch_open(limit) == nil) }

  @Test("closing a null VM does nothing")
  func closingNothing() { latch_close(nil) }

  @Test(
    "the edit distance counts letters that are inserted, removed, changed or swapped",
    arguments: [
      ("", "", 0), ("coin", "coin", 0), ("coin", "conin", 1), ("coin", "cion", 1),
      ("coin", "con", 1),
      ("coin", "join", 1), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3),
      (String(repeating: "x", count: 65), "x", 64), ("x", String(repeating: "x", count: 65), 64),
    ])
  func distance(a: String, b: String, letters: Int) {
    #expect(latch_edit_distance(a, b) == letters)
    #expect(latch_edit_distance(b, a) == letters)
  }

  @Test("a failure reports status, message and line until the next call")
  func failure() throws {
    let vm = try #require(latch_open(1 << 20))
    defer { latch_close(vm) }
    let text = Array("\n\nreturn nil + 1".utf8)
    var function: latch_ref = 0
    #expect(latch_load(vm, text, text.count, "a.lua", false, &function) == LATCH_OK)
    let run = latch_run(phase: LATCH_SCRIPT, budget: 1000)
    let nothing = latch_bytes(bytes: nil, length: 0)
    #expect(latch_call(vm, function, nothing, run, nil) == LATCH_RUNTIME)
    let failure = latch_last_failure(vm)
    #expect(failure.status == LATCH_RUNTIME)
    #expect(failure.line == 3)
    #expect(failure.message.length > 0)
    latch_release(vm, function)
    latch_release(vm, 0)
  }

  @Test("bytes that encode no value are rejected, and the VM stays usable")
  func malformed() throws {
    let vm = try #require(latch_open(1 << 20))
    defer { latch_close(vm) }
    for bytes in [[99], [6, 200], [7, 1, 5], [5, 0xff, 0xff, 0xff], [3, 1]] as [[UInt8]] {
      #expect(latch_set_payload(vm, bytes, bytes.count, 0) == LATCH_RUNTIME)
    }
    #expect(latch_set_payload(vm, [1], 1, 0) == LATCH_RUNTIME)
    #expect(latch_set_payload(vm, nil, 0, 0) == LATCH_OK)
    #expect(latch_set_payload(vm, [9], 1, 0) == LATCH_OK)
  }

  @Test("an interrupt ends a run at its next check, and ends no later run once it is cleared")
  func interrupt() throws {
    let vm = try #require(latch_open(1 << 20))
    defer { latch_close(vm) }
    let text = Array("while true do end".utf8)
    var function: latch_ref = 0
    #expect(latch_load(vm, text, text.count, "a.lua", false, &function) == LATCH_OK)
    let nothing = latch_bytes(bytes: nil, length: 0)
    latch_interrupt(vm)
    let long = latch_run(phase: LATCH_SCRIPT, budget: .max)
    #expect(latch_call(vm, function, nothing, long, nil) == LATCH_LIMIT)
    latch_clear_interrupt(vm)
    let short = latch_run(phase: LATCH_SCRIPT, budget: 10_000)
    #expect(latch_call(vm, function, nothing, short, nil) == LATCH_LIMIT)
    #expect(latch_instructions_used(vm) >= 10_000)
  }
}
