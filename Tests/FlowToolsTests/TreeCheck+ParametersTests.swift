import FlowKernel
import Testing

@testable import FlowTools

/// Findings about arguments that are left out, and about names that stand for themselves.
@Suite struct TreeCheckParametersTests {
  private func findings(_ body: String) throws -> [String] {
    let source = """
      state { n = 0, books = map_of { holder = optional(string), pages = integer }, best = optional { n = integer } }
      action.go { id = string }
      local function loans(s, id)
        return table.sum(s.books, function(one) return one.holder == id and 1 or 0 end)
      end
      local function pages(s, id, more) return s.books[id] and s.books[id].pages + (more or 0) or 0 end
      function view.pages(s, id) return s.books[id] and s.books[id].pages end
      function view.all(s) return pages(s, "all", 1) + loans(s, "ann") end
      \(body)
      """
    let loaded = try LoadedFlow(source: source, name: "f.lua")
    return try FlowCheck(text: FlowText(loaded), viewsReadOutside: nil).findings().map(
      \.description)
  }

  @Test(
    "an argument that all other calls give, and a view's wrong number of them, are reported",
    arguments: [
      (
        "function reduce.go(s, a) s.n = loans(s) end",
        "loans takes (s, id), and id is missing here [wrong-kind]"
      ),
      (
        "function effect.go(self, a) print(view.pages()) end",
        "view.pages takes (id), and id is missing here [wrong-kind]"
      ),
      (
        "function effect.go(self, a) print(view.all(a.id)) end",
        "view.all takes nothing: the other arguments are ignored [swapped-parameters]"
      ),
      (
        "function reduce.go(s, a) local id = a.id if s.books.id then s.n = #id end end",
        "this is the entry \"id\" of state.books; for the entry whose key is in id, write [id] "
          + "[unknown-field]"
      ),
      (
        "function reduce.go(s, a) s.n = pages(a.id, a.id) end",
        "pages takes (s, id, more), and s is not the state here [wrong-kind]"
      ),
      (
        "function reduce.go(s, a) s.n = s.n + \"1x\" end",
        "a string cannot be used in a calculation; .. joins strings [wrong-kind]"
      ),
      (
        "function reduce.go(s) s.n = table.sum(s.books, function(one) print(one.pages) end) end",
        "table.sum needs the result of this function, which returns nothing [missing-return]"
      ),
      (
        "function view.best(s) return s.best.n end\nfunction reduce.go(s) s.best = { n = 1 } end",
        "state.best may be none: test it first, or give a default with or [untested-optional]"
      ),
      (
        "function view.first(s) return s.books[\"a\"].pages end\nfunction reduce.go(s) s.n = 1 end",
        "view first raises an error in the initial state: attempt to index a nil value (field 'a') "
          + "[failing-view]"
      ),
    ])
  func wrong(body: String, message: String) throws {
    let severity = message.hasSuffix("[failing-view]") ? "note" : "warning"
    #expect(try findings(body) == ["f.lua:9: \(severity): \(message)"])
  }

  @Test(
    "an argument that may be nil is left out, and an entry is named",
    arguments: [
      "local function trim(s) return s:match(\"%S+\") or s end\n"
        + "function reduce.go(s, a) s.n = #trim(a.id) end",
      "function view.sum(s) return table.sum(s.books, function(one) return one.pages end) end\n"
        + "function reduce.go(s) s.n = \"2\" * 1 end",
      "function reduce.go(s, a) s.n = pages(s, a.id) end",
      "function effect.go(self, a) print(view.pages(a.id), view.all()) end",
      "function reduce.go(s, a) local ann = s.books.ann if s.books.ann then ann.pages = 1 end end",
      "function view.first(s, id) return s.books[id].pages end\nfunction reduce.go(s) s.n = 1 end",
    ])
  func right(body: String) throws { #expect(try findings(body) == []) }
}
