import FlowKernel
import LuaRuntime
import Testing

@testable import FlowTools

/// Type definitions of a flow for editors.
@Suite struct FlowDefinitionsTests {
  private static let source = """
    state {
      n = 0, rate = 0.5, name = "x", on = true, user = none, tags = list { "a" }, rows = list {},
      names = map {}, at = { x = 1, deep = { y = none } }, many = list { { a = 1 }, { b = 2 } },
    }
    action.plain {}
    action.full {
      id = integer { min = 1 }, kind = one_of { "a", 2, "b\\"" }, note = optional(string),
      size = number { default = 1.5 }, at = { x = integer }, tags = list_of(string),
      by = map_of { integer, key = integer }, any = any, flags = list_of { one_of { true, false } },
    }
    action["T02 Check"] { ["a b"] = boolean }
    action["T02-Check"] { c = boolean }
    machine.door { initial = "shut", shut = { plain = "wide open" }, ["wide open"] = { final = true } }
    gatekeeper.phase { full = { attempt = "x" }, plain = { reset = "x" } }
    gatekeeper.busy { full = "attempt", plain = "reset" }
    scope.user { key = function(s) return s.user end, actions = { "full" },
      make = { profile = function(self) return self:photo() end } }
    scope.message { parent = "user", key = function(s) return s.user end }
    function effect.full(self, a) self:send(a.id) self:profile() self:unlock("message") end
    function effect.plain(self) self:fetch(1) end
    function view.point(s) return { x = s.n, l = { 1, 2 } } end
    function view.nothing(s) return nil end
    function view.broken(s) error("no") end
    function invariant.fine(s) return true end
    """

  private func definitions(_ source: String = source, stubs: Set<String> = []) throws -> String {
    try FlowDefinitions.text(
      FlowText(try LoadedFlow(source: source, name: "my flows/a-b.lua")), stubs: stubs)
  }

  private func lines(after line: String, in text: String) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let start = lines.firstIndex(of: line) else { return [] }
    return Array(lines[(start + 1)...].prefix { $0.hasPrefix("---@") })
  }

  @Test("the state has a class, with one for each closed record in it and the machines' states")
  func state() throws {
    let text = try definitions()
    #expect(
      lines(after: "---@class (exact) a_b.State", in: text) == [
        "---@field at a_b.State.at", "---@field many (table)[]",
        "---@field n integer", "---@field name string",
        "---@field names table<string|integer, any>", "---@field on boolean",
        "---@field rate number", "---@field rows (any)[]", "---@field tags (string)[]",
        "---@field user? any",
        "---@field door \"shut\"|\"wide open\" The state of machine door.",
      ])
    #expect(
      lines(after: "---@class (exact) a_b.State.at", in: text)
        == ["---@field deep a_b.State.at.deep", "---@field x integer"])
    #expect(lines(after: "---@class (exact) a_b.State.at.deep", in: text) == ["---@field y? any"])
  }

  @Test("typed fields have the types of payloads, and equal records share a class")
  func typedState() throws {
    let text = try definitions(
      """
      local item = { sku = string, qty = integer { min = 1 }, kind = one_of { "new", "sent", default = "new" } }
      state {
        items = list_of { item, max_length = 3 }, last = optional(item), n = 1,
        at = { x = number { default = 0 }, y = 0 }, other = optional { sku = integer },
        players = map_of { { lives = integer { default = 3 } }, key = string },
      }
      machine.stage { each = "players", which = "id", initial = "waiting", waiting = { go = "on" }, on = {} }
      action.add { item = item, note = string { default = "" } }
      action.go { id = string }
      """)
    #expect(
      lines(after: "---@class (exact) a_b.State", in: text) == [
        "---@field at a_b.State.at",
        "---@field items (a_b.State.items.element)[] a list of at most 3 records",
        "---@field last? a_b.State.items.element a record of kind, qty, sku", "---@field n integer",
        "---@field other? a_b.State.other a record of sku",
        "---@field players table<string, a_b.State.players.element> a map from strings to records",
      ])
    #expect(
      lines(after: "---@class (exact) a_b.State.items.element", in: text) == [
        "---@field kind \"new\"|\"sent\" one of \"new\", \"sent\"; \"new\" if it is missing",
        "---@field qty integer an integer of at least 1", "---@field sku string a string",
      ])
    #expect(
      lines(after: "---@class (exact) a_b.State.players.element", in: text) == [
        "---@field lives integer an integer; 3 if it is missing",
        "---@field stage \"on\"|\"waiting\"",
      ])
    #expect(
      lines(after: "---@class (exact) a_b.action.add", in: text) == [
        "---@field item a_b.State.items.element a record of kind, qty, sku",
        "---@field note? string a string; \"\" if it is missing",
      ])
    #expect(
      lines(after: "---@class (exact) a_b.State.at", in: text)
        == ["---@field x number a number", "---@field y integer"])
  }

  @Test("each payload has a class of its own that describes its fields")
  func payloads() throws {
    let text = try definitions()
    #expect(
      lines(after: "---@class (exact) a_b.action.full", in: text) == [
        "---@field any any any value",
        "---@field at a_b.action.full.at a record of x",
        "---@field by table<integer, integer> a map from integers to integers",
        "---@field flags (true|false)[] a list of values that are one of true, false",
        "---@field id integer an integer of at least 1",
        "---@field kind \"a\"|2|\"b\\\"\" one of \"a\", 2, \"b\\\"\"",
        "---@field note? string a string",
        "---@field size? number a number; 1.5 if it is missing",
        "---@field tags (string)[] a list of strings",
      ])
    #expect(
      lines(after: "---@class (exact) a_b.action.T02_Check", in: text)
        == ["---@field [\"a b\"] boolean a boolean"])
    #expect(
      lines(after: "---@class (exact) a_b.action.T02_Check_2", in: text)
        == ["---@field c boolean a boolean"])
  }

  @Test("declarations, dispatches and scenario steps of an action have its payload type")
  func actions() throws {
    let text = try definitions()
    #expect(
      text.contains("---@alias a_b.ActionName \"T02 Check\"|\"T02-Check\"|\"full\"|\"plain\"\n"))
    #expect(
      lines(after: "---@class moonlatch.Reducers", in: text).contains(
        "---@field full fun(s: a_b.State, a: a_b.action.full)"))
    #expect(
      lines(after: "---@class moonlatch.Pass", in: text) == [
        "---@field plain fun(payload?: {})", "---@field full fun(payload: a_b.action.full)",
        "---@field [\"T02 Check\"] fun(payload: a_b.action.T02_Check)",
        "---@field [\"T02-Check\"] fun(payload: a_b.action.T02_Check_2)",
      ])
    #expect(
      lines(after: "---@class moonlatch.Dispatch", in: text).contains(
        "---@overload fun(name: \"T02 Check\", payload: a_b.action.T02_Check): any"))
    #expect(
      lines(after: "---@class moonlatch.ExpectedGatekeepers", in: text) == [
        "---@field phase fun(options: \"x\"|(\"x\")[])",
        "---@field busy fun(passage: \"held\"|\"free\")",
      ])
  }

  @Test("a view has the type of its initial value, and one that raises has any")
  func views() throws {
    let text = try definitions()
    #expect(
      lines(after: "---@class moonlatch.Views", in: text) == [
        "---@field point (fun(s: a_b.State): any)|(fun(): { l: (integer)[], x: integer })",
        "---@field nothing (fun(s: a_b.State): any)|(fun(): any)",
        "---@field broken (fun(s: a_b.State): any)|(fun(): any)",
      ])
  }

  @Test("a scope has its factories, the capabilities that it provides, and its parent's")
  func scopes() throws {
    let text = try definitions(stubs: ["root.clock", "user.photo", "nowhere.x", "odd"])
    let lend = "fun(self: any, ...): any A capability that the host provides."
    #expect(
      lines(after: "---@class a_b.scope.root: moonlatch.Instance", in: text) == [
        "---@field clock \(lend)", "---@field fetch \(lend)",
        "---@field unlock (fun(self: any, name: \"user\", key?: any): a_b.scope.user) "
          + "The instance of an inner scope.",
      ])
    #expect(
      lines(after: "---@class a_b.scope.user: a_b.scope.root", in: text) == [
        "---@field parent a_b.scope.root",
        "---@field profile fun(self: any, ...): any A factory: a new thing for each call.",
        "---@field photo \(lend)", "---@field send \(lend)",
        "---@field unlock (fun(self: any, name: \"message\", key?: any): a_b.scope.message) "
          + "The instance of an inner scope.",
      ])
  }

  @Test("a deep state has definitions, and values beyond a depth have the type any")
  func deep() throws {
    let depth = 90
    let text = try definitions(
      "state { a = " + String(repeating: "{ a = ", count: depth) + "1"
        + String(repeating: " }", count: depth) + " }")
    #expect(text.contains("---@class (exact) a_b.State.a.a.a\n"))
    #expect(text.contains("---@field a any\n"))
    let list = try definitions(
      "state { a = " + String(repeating: "{ ", count: depth) + "1"
        + String(repeating: " }", count: depth) + " }")
    #expect(list.contains("---@field a ((((((((((("))
  }

  @Test("the definitions are valid Lua for any names")
  func isLua() throws {
    for text in [try definitions(), EditorFiles.language, try definitions("state { n = 0 }")] {
      _ = try Bytecode(text, name: "definitions.lua")
    }
    #expect(try definitions() == definitions())
  }

  @Test("a user's settings are never replaced, and generated ones are")
  func replacing() throws {
    let files = try EditorFiles([FlowText(try LoadedFlow(source: Self.source, name: "a.lua"))])
      .files
    #expect(
      files.map(\.path) == [
        ".moonlatch/library/moonlatch.lua", ".moonlatch/library/flows/a.lua", ".luarc.json",
        ".luacheckrc",
      ])
    #expect(files[1].mayReplace("anything"))
    #expect(!files[2].mayReplace("{}"))
    #expect(files[2].mayReplace(files[2].text))
    #expect(!files[3].mayReplace("std = \"max\""))
    #expect(files[3].mayReplace(EditorFiles.mark + " and more"))
  }

  @Test(
    "a field of a region is one of its state paths or nil, and in_state accepts each nested state")
  func regions() throws {
    let text = try definitions(
      """
      action.power {} action.play {}
      machine.player { initial = "off", off = { power = "on" },
        on = { power = "off", parallel = { "transport", "sound" },
          transport = { initial = "stopped", stopped = { play = "playing" },
            playing = { initial = "fast", fast = {} } },
          sound = { initial = "loud", loud = {} } } }
      """)
    #expect(
      text.contains(
        "---@field transport \"playing.fast\"|\"stopped\"|nil The state of machine player."))
    #expect(
      text.contains(
        "---@field transport fun(state: \"transport\"|\"playing\"|\"playing.fast\"|\"stopped\")"))
    #expect(text.contains("\"player.on.transport.playing\"|"))
    #expect(text.contains("function in_state(s, name) end"))
  }

  @Test("a machine per record is expected by one key for each level, and so are its regions")
  func records() throws {
    let text = try definitions(
      """
      state { orders = map {}, players = map {} } action.up {}
      machine.item { each = "orders.*.items", initial = "a", a = { up = "b" }, b = {} }
      machine.stage { each = "players", field = "at", initial = "on",
        on = { parallel = { "arm", "leg" }, arm = { up = true }, leg = {} } }
      """)
    #expect(
      Set(lines(after: "---@class moonlatch.ExpectedMachines", in: text)).isSuperset(of: [
        "---@field item table<string|integer, table<string|integer, fun(state: \"a\"|\"b\")>>",
        "---@field stage table<string|integer, fun(state: \"on\"|\"on.arm\"|\"on.leg\")>",
        "---@field arm table<string|integer, fun(state: \"arm\")>",
      ]))
  }

  @Test("an internal action is a completion of dispatch and inside, but not of pass")
  func internals() throws {
    let text = try definitions("action.pay {} internal.paid { receipt = string }")
    func offered(_ kind: String) -> [String] {
      lines(after: "---@class moonlatch.\(kind)", in: text).filter { $0.hasPrefix("---@field") }.map
      {
        String($0.split(separator: " ")[1])
      }
    }
    #expect(offered("Pass") == ["pay"])
    #expect(offered("Inside") == ["pay", "paid"])
    #expect(offered("Dispatch") == ["pay", "paid"])
    #expect(offered("Refuse") == ["pay", "paid"])
  }
}
