import FlowHosting
import FlowKernel
import Testing

@Suite struct RandomSourceTests {
  private static let flow = """
    state { rolls = list {}, heard = none }
    action.roll { fails = boolean { default = false } }
    action.listen {}
    action.heard { number = integer }
    function reduce.roll(s, a)
      table.insert(s.rolls, random(1, 1000))
      if a.fails then error("no") end
    end
    function effect.listen() dispatch.heard { number = random(1, 1000) } end
    function reduce.heard(s, a) s.heard = a.number end
    """

  /// Counts up from the seed: the number at position 3 of seed 1,000 is 1,003.
  private static let counting: RandomSource = { seed, position in seed &+ position }

  private func host(_ random: RandomSource?, seed: UInt64 = 1_000) throws -> FlowHost {
    try FlowHost(
      source: Self.flow,
      options: HostOptions(clock: .virtual, seed: seed, random: random, keepsTranscript: true))
  }

  @Test("random numbers come from the host's source, and undo restores its position")
  func source() throws {
    let host = try host(Self.counting)
    try host.dispatch("roll")
    #expect(try !host.dispatch("roll", ["fails": true]).isPassed)
    try host.dispatch("roll")
    #expect(try host.state()["rolls"] == [1, 2])
    try host.undo()
    try host.dispatch("roll")
    #expect(try host.state()["rolls"] == [1, 2])
  }

  @Test("effects have a random sequence of their own")
  func effects() throws {
    let host = try host(Self.counting)
    try host.dispatch("listen")
    let heard = try host.state()["heard"]
    try host.dispatch("roll")
    #expect(try host.state()["rolls"] == [1])
    #expect(heard != 1)
  }

  @Test("a transcript replays exactly with the same source, and a reload continues it")
  func replay() throws {
    for source in [nil, Self.counting] {
      let first = try host(source)
      for _ in 0..<5 { try first.dispatch("roll") }
      try first.dispatch("listen")
      let transcript = try #require(try first.transcript)
      let second = try host(source)
      #expect(try second.replay(transcript) == nil)
      #expect(try second.state() == first.state())
      try first.reload()
      try first.dispatch("roll")
      try second.dispatch("roll")
      #expect(try second.state()["rolls"] == first.state()["rolls"])
      let other = try host({ _, position in position &* 7 })
      #expect(try other.replay(transcript) != nil)
    }
  }
}
