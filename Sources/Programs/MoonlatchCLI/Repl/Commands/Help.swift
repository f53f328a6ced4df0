import FlowLanguage
import LuaRuntime

/// A word of the flow language, for `:help`.
struct LanguageWord {
  let name: String
  let text: String

  static func named(_ name: String) -> LanguageWord? { all.first { $0.name == name } }

  static let all: [LanguageWord] = [
    .init("state", "state { coins = 0 } declares fields and their first values; s.coins reads one"),
    .init("action", "action.NAME { field = type } declares an action; {} for no payload"),
    .init(
      "internal", "internal.NAME { field = type } is dispatched by effects and timers only"),
    .init("reduce", "function reduce.NAME(s, a) changes the state s when NAME has passed"),
    .init(
      "gate", "function gate.NAME(s, a) return CONDITION, \"why not\" end accepts or refuses NAME"
    ),
    .init(
      "gatekeeper",
      "gatekeeper.NAME { load = \"attempt\", loaded = \"reset\" } allows one load at a time"),
    .init(
      "machine",
      "machine.NAME { initial = \"a\", a = { go = \"b\" }, b = {} } has states and transitions"
    ),
    .init(
      "scope",
      "scope.NAME { key = function(s) ... end, actions = { ... } } has actions that need its key"
    ),
    .init("view", "function view.NAME(s) selects from the state; view.NAME() reads it"),
    .init(
      "effect", "function effect.NAME(self, a) runs after NAME has passed; it may wait, dispatch"),
    .init("invariant", "function invariant.NAME(s) must hold in every state"),
    .init("integer", "integer { min = 1, max = 10, default = 1 } is a type of a field"),
    .init("number", "number { min = 0 } is a type of a field"),
    .init("boolean", "boolean { default = false } is a type of a field"),
    .init(
      "string", "string { pattern = \"^%a+$\", max_length = 20 } is a type; also Lua's library"),
    .init("one_of", "one_of { \"a\", \"b\" } is a type of a field: one of these values"),
    .init("list_of", "list_of(integer) is a type of a field"),
    .init("map_of", "map_of(integer) is a type of a field"),
    .init("optional", "optional(integer) is a type of a field that may be missing"),
    .init("any", "any is a type that accepts every plain value"),
    .init("list", "list {} is an empty list in the state"),
    .init("map", "map {} is a table with open keys in the state"),
    .init("none", "none is a field without a value yet"),
    .init("dispatch", "dispatch.NAME { ... } queues an action, in effects; here it dispatches one"),
    .init(
      "after",
      "after(seconds, \"NAME\", { ... }) sets a timer that dispatches an action, in effects"),
    .init(
      "cancel",
      "cancel(\"NAME\") stops the pending timers of an action, cancel(\"NAME\", { id = 1 }) those "
        + "whose payload has this part; in effects"),
    .init("sleep", "sleep(seconds) waits, in effects"),
    .init("all", "all { a = f, b = g } runs functions concurrently, in effects"),
    .init("race", "race { a = f, b = g } runs them until the first has ended, in effects"),
    .init(
      "retry",
      "retry({ times = 5, wait = 2 }, f) calls a function again while it raises, in effects"),
    .init(
      "revised",
      "revised(\"2027-retry\") returns true if a durable effect runs the code after a change"),
    .init(
      "in_state", "in_state(s, \"door.open\") returns true if that state of a machine is active"),
    .init(
      "count_in", "count_in(s, \"stage.ready\") returns for how many records that state is active"),
    .init("all_in", "all_in(s, \"stage.ready\") returns true if it is active for all of them"),
    .init("now", "now() is the time of the action in seconds; views and invariants have none"),
    .init("date", "date(seconds) is a time since 1970 as year, month, day and so on, in UTC"),
    .init("by", "by() is who dispatched the action, in gates, reducers and effects; or none"),
    .init("born", "born() is when the case was created, in seconds since 1970; 0 without a case"),
    .init(
      "random", "random(), random(n), random(m, n) is a random number, in reducers and effects"),
    .init("require", "require \"NAME\" is a module of the flow's own folder"),
    .init("print", "print(...) goes to the host's log, here to the terminal"),
    .init(
      "pass", "pass.NAME { ... } dispatches, even if Lua has a function of that name (pass.next())"),
    .init("inside", "inside.NAME { ... } dispatches as if an effect did: internal actions too"),
    .init(
      "given",
      "given { field = value } sets the state before the first action, as in scenarios; also "
        + "given.gatekeeper.NAME, given.random { ... }, given.born(time)"),
    .init("may", "may.NAME { ... } says if an action may pass, and why not"),
    .init("s", "s is the state: s.coins reads a field; only a reducer writes"),
    .init("_", "_ is the last result"),
  ]

  private init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }
}
