import Testing

@testable import Scenarios

/// Tables with integer keys in places with a map type.
@Suite struct MapKeysTests {
  private static let flow = """
    local coin = one_of { 5, 10 }
    state {
      float = map_of { integer, key = coin }, f = map_of { integer, key = integer },
      deep = list_of { m = map_of { string, key = integer } }, rows = list_of(integer), open = none,
    }
    action.add { coin = coin, n = integer }
    action.put { n = integer }
    action.fill { n = integer }
    action.twice {}
    action.give { m = map_of { integer, key = coin } }
    action.relay {}
    action.finish {}
    action.hole {}
    action.open {}
    function reduce.add(s, a) s.float[a.coin] = a.n end
    function reduce.put(s, a) s.f = { [a.n] = 1 } end
    function reduce.fill(s, a) local t = {} t[a.n] = 1 s.f = t table.insert(s.deep, { m = { [a.n] = "x" } }) end
    function reduce.twice(s) s.f = { [7] = 1 } s.f = { [9] = 1 } end
    function reduce.give(s, a) s.float = a.m end
    function reduce.hole(s) s.rows = { [3] = 1 } end
    function reduce.open(s) s.open = { [3] = 1 } end
    function effect.relay() dispatch.give { m = { [10] = 3 } } end
    effect.finish = { on_done = "give", run = function() return { m = { [5] = 4 } } end }
    function view.f(s) return s.f end
    """

  @Test(
    "a table stored in a typed place is read by its type, without a keyword",
    arguments: [
      "pass.add { coin = 10, n = 2 } expect { float = { [10] = 2 } } expect.change { [\"float[10]\"] = 2 }",
      "pass.add { coin = 10, n = 2 } restart() expect { float = map { [10] = 2 } }",
      "pass.put { n = 2 } expect.state { f = { [2] = 1 }, float = {}, deep = {}, rows = {} }",
      "pass.put { n = 1 } expect { f = map { [1] = 1 } } expect.view.f { 1 }",
      "pass.fill { n = -4 } expect { f = { [-4] = 1 }, deep = { { m = { [-4] = \"x\" } } } }",
      "pass.twice() expect { f = { [9] = 1 } }",
      "pass.give { m = { [5] = 2 } } expect { float = { [5] = 2 } }",
      "pass.relay() settle() expect { float = { [10] = 3 } }",
      "pass.finish() settle() expect { float = { [5] = 4 } }",
      "given { f = { [10] = 2 } } expect { f = { [10] = 2 } }",
      "given { float = { [10] = 2 }, deep = { { m = { [3] = \"y\" } } } } restart() expect { float = { [10] = 2 } }",
      "given { f = { [1] = 2 } } expect { f = { 2 } }",
    ])
  func read(body: String) throws {
    #expect(try Played.verdict(of: body, flow: MapKeysTests.flow) == "ok it", "\(body)")
  }

  @Test(
    "a table with holes is no list, and without a type no map either",
    arguments: [
      ("pass.hole()", "state.rows: a list has the keys 1 to n without holes (put here)"),
      ("pass.open()", "state.open: a list has the keys 1 to n without holes"),
      ("given { rows = { [3] = 1 } }", "given: rows: a list has keys 1 to n without holes"),
      ("given { open = { [3] = 1 } }", "given: open: a list has keys 1 to n without holes"),
      ("pass.give { m = { [7] = 2 } }", "the key of m[7] must be one of 5, 10, got 7"),
      (
        "pass.give { m = { a = 2 } }",
        "m must be a map from values that are one of 5, 10 to integers"
      ),
    ])
  func refused(body: String, message: String) throws {
    let verdict = try Played.verdict(of: body, flow: MapKeysTests.flow)
    #expect(verdict.contains(message), "\(verdict)")
  }

  @Test("the form that given suggests in place of a path is accepted")
  func advice() throws {
    let verdict = try Played.verdict(
      of: "given { [\"float[10]\"] = 2 }", flow: MapKeysTests.flow)
    #expect(verdict.contains("write float = { [10] = ... }"))
    let body = "given { float = { [10] = 2 } } expect { float = { [10] = 2 } }"
    #expect(try Played.verdict(of: body, flow: MapKeysTests.flow) == "ok it")
  }
}
