import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

@Suite("undo and redo of empty tables of undecided kind") struct EmptyTableTests {
  /// Writes that show the kind of a table: each passes or fails by it.
  private let probes = ["s.m.f[1] = 0", "s.m.f.x = 0", "s.m.f[-4] = 0", "table.insert(s.m.f, 0)"]

  /// A host on which the lines were played, an action each.
  private func host(_ lines: [String], playing count: Int) throws -> FlowHost {
    let actions = (lines + probes).enumerated().map { number, line in
      "action.turn\(number) {} function reduce.turn\(number)(s) \(line) end"
    }
    let host = try FlowHost(
      source: "state { m = map {}, rows = list {} }\n" + actions.joined(separator: "\n"),
      options: HostOptions(clock: .virtual))
    for number in 0..<count {
      let outcome = try host.dispatch("turn\(number)")
      #expect(outcome.isPassed, "\(lines[number]): \(outcome)")
    }
    return host
  }

  /// The state, and what becomes of it by each of the probes: nothing where it is refused.
  private func look(_ host: FlowHost, after lines: [String]) throws -> [Value?] {
    let revision = try host.revision
    var found: [Value?] = [try host.state()]
    for number in lines.count..<lines.count + probes.count {
      let isPassed = try host.dispatch("turn\(number)").isPassed
      found.append(isPassed ? try host.state() : nil)
      try host.go(to: revision)
    }
    return found
  }

  @Test(
    "a table created as {} has the same value in a revision, however undo and redo reach it",
    arguments: [
      ["s.m.f = {}", "s.m.f[4] = 4"],
      ["s.m.f = {}", "s.m.f[-1] = true", "s.m.f[0] = false"],
      ["s.m.f = {}", "s.m.f[math.mininteger] = {}", "s.m.f[math.mininteger][2] = 2"],
      ["s.m.f = {}", "s.m.f[1] = 1", "s.m.f[1] = nil"],
      ["s.m.f = {}", "s.m.f.a = 1", "s.m.f.a = nil"],
      ["s.m.f = {}", "s.m.f[4] = 4 s.m.f[4] = nil"],
      ["s.m.f = {}", "table.insert(s.m.f, { 1 })", "table.remove(s.m.f)"],
      ["s.m.f = {}", "pcall(function() s.m.f[4] = print end) s.m.g = 1"],
      ["s.m.f = { {} }", "s.m.f[1][4] = 4", "s.m.f[1] = nil"],
      ["s.m.g = {}", "s.m.f = s.m.g s.m.g = nil s.m.f[4] = 4"],
      ["s.m.g = {}", "local g = s.m.g s.m.g = nil g[4] = 4 s.m.f = g", "s.m.f[5] = 5"],
      ["s.m.g = {}", "s.m.f = s.m.g s.m.f[4] = 4", "s.m.f[4] = nil"],
      ["table.insert(s.rows, {})", "s.rows[1].a = {}", "s.rows[1].a[4] = 4", "s.m.f = s.rows[1]"],
      ["s.m.f = list { 1 }", "s.m.f = map {}", "s.m.f = nil", "s.m.f = {}", "s.m.f[4] = 4"],
      ["s.m.f = { a = list {} }", "s.m.f = nil", "s.m.f = { a = {} }", "s.m.f.a.b = 1"],
    ])
  func everyTransition(lines: [String]) throws {
    for end in 0...lines.count {
      let expected = try look(try host(lines, playing: end), after: lines)
      for start in 0...lines.count {
        let host = try host(lines, playing: lines.count)
        try host.go(to: start)
        try host.go(to: end)
        #expect(try look(host, after: lines) == expected, "revision \(end) from \(start)")
      }
    }
  }

  @Test("a patch has the values put into an empty table, but not the kind that the table takes")
  func told() throws {
    let host = try host(["s.m.f = {}"], playing: 1)
    guard case .passed(let commit) = try host.dispatch("turn3") else {
      Issue.record("the action was not carried out")
      return
    }
    #expect(commit.writes.description == "m.f[-4]: nil -> 0")
  }

  @Test("an empty table that is stored in two places takes the kind of each, also after redo")
  func twoPlaces() throws {
    for order in ["s.k.p = t s.k.q = t", "s.k.q = t s.k.p = t"] {
      let host = try FlowHost(
        source: """
          state { k = map { q = list { 1 } } }
          action.go {} action.name {}
          function reduce.go(s) local t = {} \(order) end
          function reduce.name(s) s.k.p.x = 1 end
          """, options: HostOptions(clock: .virtual))
      try host.dispatch("go")
      try host.undo()
      try host.redo()
      let outcome = try host.dispatch("name")
      #expect(outcome.isPassed, "\(order): \(outcome)")
    }
  }
}
