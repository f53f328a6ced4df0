import FlowKernel
import Testing

@testable import FlowTools

/// Findings from the syntax tree of a flow.
@Suite struct TreeCheckTests {
  /// A flow in which nothing is wrong, to be broken in one place.
  static let flow = """
    local most = 3
    state { count = 0, user = { name = "", mail = none }, rows = list {}, users = map {} }
    action.add { by = integer { min = 1, max = 10 }, kind = one_of { "a", "b", default = "a" } }
    action.drop {}
    internal.done { note = string }
    machine.door {
      initial = "open",
      open = { add = "shut" },
      shut = { drop = { to = "open", when = function(s, a) return s.count > 0, "empty" end } },
    }
    gatekeeper.busy { add = "attempt", done = "reset" }
    local function bump(t, n) t.count = t.count + n end
    function gate.add(s, a)
      if s.count >= most then return false, "full" end
      return a.kind == "a" or s.door == "open", "shut"
    end
    function reduce.add(s, a)
      bump(s, a.by)
      local user = s.user
      user.name = a.kind
      table.insert(s.rows, { id = now(), by = a.by })
    end
    function reduce.drop(s)
      for _, row in ipairs(s.rows) do s.count = s.count + row.by end
    end
    function reduce.done(s, a) s.user.mail = a.note end
    function effect.add(self, a)
      sleep(1)
      local note = self:fetch(a.by)
      dispatch.done { note = note }
    end
    function view.count(s) return s.count + #s.rows, s.user, s.users, s.door end
    function invariant.bounded(s) return s.count < 100, "too many" end
    """

  private func findings(_ source: String) throws -> [String] {
    let loaded = try LoadedFlow(source: source, name: "f.lua")
    return try FlowCheck(text: FlowText(loaded), viewsReadOutside: nil).findings().map(
      \.description)
  }

  @Test("a correct flow has no findings")
  func clean() throws { #expect(try findings(TreeCheckTests.flow) == []) }

  @Test(
    "a mistake is reported at its line, with a suggestion",
    arguments: [
      (
        "s.count >= most", "s.cuont >= most",
        "14: warning: state has no field cuont; did you mean count? [unknown-field]"
      ),
      (
        "a.kind == \"a\"", "a.kid == \"a\"",
        "15: warning: the payload of add has no field kid; did you mean kind? [unknown-field]"
      ),
      (
        "a.kind == \"a\"", "a.kind == \"c\"",
        "15: warning: kind is never \"c\" (it is one of \"a\", \"b\") [unknown-value]"
      ),
      (
        "s.door == \"open\"", "\"opne\" ~= s.door",
        "15: warning: door is never \"opne\" (it is one of \"open\", \"shut\"); did you mean open? [unknown-value]"
      ),
      (
        "t.count + n", "t.coutn + n",
        "12: warning: state has no field coutn; did you mean count? [unknown-field]"
      ),
      (
        "user.name = a.kind", "user.nmae = a.kind",
        "20: warning: state.user has no field nmae; did you mean name? [unknown-field]"
      ),
      (
        "user.name = a.kind", "s.door = \"open\"",
        "20: warning: state.door is the state of machine door, which only its transitions change: list the action there [refused-write]"
      ),
      (
        "user.name = a.kind", "user.name = a.kind; a.kind = \"b\"",
        "20: warning: the payload of add can only be read [refused-write]"
      ),
      (
        "if s.count >= most", "s.count = 0 if s.count >= most",
        "14: warning: a rule cannot change the state; a reducer does that [refused-write]"
      ),
      (
        "if s.count >= most", "sleep(1) if s.count >= most",
        "14: warning: sleep cannot be used in a rule; effects do that, after the action has passed [misplaced-word]"
      ),
      (
        "bump(s, a.by)", "bump(s, a.by) dispatch.drop {}",
        "18: warning: dispatch cannot be used in a reducer; effects do that, after the action has passed [misplaced-word]"
      ),
      (
        "bump(s, a.by)", "bump(s, view.count())",
        "18: warning: view cannot be used in a reducer; call a function of the file that both use [misplaced-word]"
      ),
      (
        "id = now()", "id = os.time()",
        "21: warning: there is no os.time; now() is the flow's time, born() when its case began [unknown-global]"
      ),
      (
        "id = now()", "id = setmetatable({}, { __mode = \"k\" })",
        "21: warning: __mode has no effect here: with weak tables, results would depend on the garbage collector [weak-table]"
      ),
      (
        "id = now()", "id = math.flor(2)",
        "21: warning: there is no math.flor; did you mean floor? [unknown-global]"
      ),
      (
        "id = now()", "id = nwo()",
        "21: warning: global nwo is not defined; did you mean now? [unknown-global]"
      ),
      (
        "id = now()", "id = now(), id = 2",
        "21: warning: id is given twice in this table, the first time in line 21; the last one counts [duplicate-key]"
      ),
      (
        "return a.kind == \"a\" or s.door == \"open\", \"shut\"",
        "if a.by > 1 then return true end",
        "13: warning: gate add can end without returning a value; end it with \"return true\" [missing-return]"
      ),
      (
        "return a.kind == \"a\" or s.door == \"open\", \"shut\"", "return",
        "15: warning: a rule must return true, or false and a reason [missing-return]"
      ),
      (
        "return a.kind == \"a\" or s.door == \"open\", \"shut\"", "return \"shut\"",
        "15: warning: this counts as true; a refusal is \"return false\" and a reason [constant-answer]"
      ),
      (
        "s.door == \"open\", \"shut\"", "\"b\", \"shut\"",
        "15: warning: the value after this or counts as true; compare it too [constant-answer]"
      ),
      (
        "return s.count < 100, \"too many\"", "return s.count < 100 and true or s.nam",
        "33: warning: state has no field nam [unknown-field]"
      ),
      (
        "return s.count < 100, \"too many\"", "return true",
        "33: warning: invariant bounded always returns true, whatever the state is [constant-answer]"
      ),
      (
        "function gate.add(s, a)", "function gate.add(a, s)",
        "13: warning: a rule gets the state first: write (s, a) [swapped-parameters]"
      ),
      (
        "s.user.mail = a.note", "s = { count = 1, user = s.user, note = a.note }",
        "26: warning: s = ... does not change the state: write s.field = value [replaced-state]"
      ),
      (
        "s.user.mail = a.note", "s.door = \"open\" s = {}",
        "26: warning: state.door is the state of machine door, which only its transitions change: list the action there "
          + "[refused-write]"
      ),
      (
        "if s.count >= most", "if gatekeeper.busy:may_pas()",
        "14: warning: a gatekeeper has no may_pas; did you mean may_pass? [unknown-field]"
      ),
      (
        "self:fetch", "self.fetch",
        "29: warning: self.fetch(...) does not pass self; write self:fetch(...) [dot-for-colon]"
      ),
      (
        "{ note = note }", "{ noet = note }",
        "30: warning: action done has no field noet; did you mean note? [wrong-payload]"
      ),
      (
        "{ note = note }", "{ note = 5, x = note }",
        "30: warning: action done: note must be a string, got 5 [wrong-payload]"
      ),
      (
        "dispatch.done { note = note }",
        "dispatch.done { note = note } after(1, \"add\", { by = 20 })",
        "30: warning: action add: by must be an integer from 1 to 10, got 20 [wrong-payload]"
      ),
      (
        "dispatch.done { note = note }", "dispatch.done() print(note)",
        "30: warning: action done: note is missing [wrong-payload]"
      ),
      (
        "sleep(1)", "local unused = 1",
        "28: warning: local unused is never used; name it _unused if that is intended [unused-local]"
      ),
      (
        "local most = 3", "local most = 3 local function idle() end",
        "1: warning: local function idle is never used; name it _idle if that is intended [unused-local]"
      ),
      (
        "done = \"reset\"", "drop = \"attempt\"",
        "11: warning: gatekeeper busy is never reset: after its first passage, it refuses all others [never-reset]"
      ),
      (
        "return s.count + #s.rows", "local n = s.count + #s.rows return n + s.coutn",
        "32: warning: state has no field coutn; did you mean count? [unknown-field]"
      ),
      (
        "return s.count > 0, \"empty\"", "return s.coutn > 0, \"empty\"",
        "9: warning: state has no field coutn; did you mean count? [unknown-field]"
      ),
    ])
  func mistakes(right: String, wrong: String, told: String) throws {
    let source = TreeCheckTests.flow
    let range = try #require(source.firstRange(of: right))
    let found = try findings(source.replacingCharacters(in: range, with: wrong))
    #expect(found.contains("f.lua:" + told), "\(found)")
  }

  @Test("a comment with a reason allows a finding")
  func allowed() throws {
    let flow = """
      state { n = 0 }
      action.go {}
      -- check: allow unknown-field because it is to fail
      function reduce.go(s) s.n = s.m end
      """
    #expect(try findings(flow).filter { $0.contains("unknown-field") } == [])
    #expect(
      try findings(
        flow.replacing("unknown-field because", with: "idle-action because unknown-field")
      )
      .filter { $0.contains("unknown-field") }.count == 1)
  }

  @Test(
    "code that may be intended has no findings",
    arguments: [
      "function reduce.go(s, a) s = s.user s.name = a.x end",
      "function reduce.go(s, a) local t = s.list[1] t.anything = t.other end",
      "function reduce.go(s, a) for k, v in pairs(s.map) do v.x = k end end",
      "local function set(t) t.what = 1 end function reduce.go(s) set(s.list[1]) set({}) end",
      "local function set(t) t.what = 1 end function reduce.go(s) set(s) pcall(set, {}) end",
      "function gate.go(s) if s.n > 1 then error(\"no\") else return true end end",
      "function gate.go(s) while true do if s.n > 3 then return s.n > 4 end end end",
      "function gate.go(s) goto done ::done:: return s.n > 0 end",
      "helper = function() return 1 end function reduce.go(s) s.n = helper() end",
      "local now = function() return 1 end function reduce.go(s) s.n = now() end",
      "local os = { time = 1 } function reduce.go(s) s.n = os.time end",
      "function reduce.go(s) local sleep = 1 s.n = sleep end",
      "function effect.go(self) local get = self.parent return get:x(), self.key end",
      "function effect.go(self) return self.fetch(self) end",
      "function effect.go(self) local p = { x = 1 } p.y = 2 dispatch.go(p) end",
      "function view.all(s) return s end",
      "function view.all(s) return born() end",
      "function effect.go(self) return {} end",
      "function reduce.go(s, a) for i, x in ipairs(s.list) do if x then table.remove(s.list, i) break end end end",
      "function reduce.go(s, a) for i = #s.list, 1, -1 do table.remove(s.list, i) end end",
      "local function tell(kind, text) if kind then return kind end return text .. kind end "
        + "function reduce.go(s) s.n = tell(\"a\") end",
      "local function sum(t, n) n = n or 1 return t.n + n end function reduce.go(s) s.n = sum(s) end",
      "local date = function(t) return { day = t } end function reduce.go(s) s.n = date(1).night end",
      "function reduce.go(s, a) s.n = #s.list == 0 and tostring(\"1\" + 1) or table.unpack(s.list) end",
      "local t <close> = setmetatable({}, { __close = function() end })",
      "function reduce.go(s, a) if a.x == \"z\" then s.n = 1 end end",
    ])
  func silent(text: String) throws {
    let found = try findings(
      "state { n = 0, user = { name = \"\" }, list = list {}, map = map {} }\n"
        + "action.go { x = optional(string) }\n" + text)
    #expect(found.filter { TreeCheckTests.isOfTrees($0) } == [])
  }

  @Test("reducers are checked against the types of the state")
  func typed() throws {
    let found = try findings(
      """
      state {
        items = list_of { qty = integer, status = one_of { "new", "sent", default = "new" } },
        users = map_of { name = string },
        hp = integer { default = 3 },
        pos = { x = integer { default = 0 }, kind = "plain" },
      }
      machine.stage { each = "users", initial = "a", a = { go = "b" }, b = { final = true } }
      action.go {}
      function reduce.go(s)
        for _, item in ipairs(s.items) do item.statsu = "sent" end
        s.items[1].status = "snet"
        local user = s.users.ann
        user.stage = "b"
        if user.stage == "c" or user.nmae == "x" then s.hp = s.hp / 2 end
        s.hp = "none"
        s.pos.y = s.pos.kind
        table.remove(s.items).anything = 1
      end
      """)
    #expect(
      found.filter { TreeCheckTests.isOfTrees($0) } == [
        "f.lua:10: warning: state.items[...] has no field statsu; did you mean status? "
          + "[unknown-field]",
        "f.lua:14: warning: stage is never \"c\" (it is one of \"a\", \"b\") [unknown-value]",
        "f.lua:14: warning: state.users[...] has no field nmae; did you mean name? "
          + "[unknown-field]",
        "f.lua:16: warning: state.pos has no field y [unknown-field]",
        "f.lua:17: warning: state.items[...] has no field anything [unknown-field]",
        "f.lua:11: warning: state.items[...].status must be one of \"new\", \"sent\", got \"snet\"; "
          + "did you mean sent? [unknown-value]",
        "f.lua:13: warning: state.users[...].stage is the state of machine stage, which only its "
          + "transitions change: list the action there [refused-write]",
        "f.lua:14: warning: state.hp must be an integer, and this need not be whole; x // y gives a "
          + "whole number [unknown-value]",
        "f.lua:15: warning: state.hp must be an integer, got \"none\" [unknown-value]",
      ])
  }

  /// Returns true if the finding comes from the syntax tree.
  static func isOfTrees(_ finding: String) -> Bool {
    Finding.Kind.ofTrees.contains { finding.hasSuffix("[\($0.rawValue)]") }
  }

  @Test("the known libraries are exactly those of a flow")
  func libraries() throws {
    let members = LibraryWords.libraries.flatMap { library, names in
      names.map { "\(library).\($0)" }
    }
    let words = (members + LibraryWords.base).sorted()
    let asked = words.map { "assert(\($0) ~= nil, \"\($0)\")" }.joined(separator: "\n")
    _ = try LoadedFlow(source: "action.a {}\n" + asked, name: "f.lua")
    for (library, names) in LibraryWords.libraries {
      let known = names.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
      _ = try LoadedFlow(
        source: """
          action.a {}
          local known = {}
          for _, name in ipairs { \(known) } do known[name] = true end
          for name in pairs(\(library)) do assert(known[name], name) end
          """, name: "f.lua")
    }
  }
}
