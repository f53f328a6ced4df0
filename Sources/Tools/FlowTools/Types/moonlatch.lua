---@meta _
-- The language of Moonlatch's flows and scenarios, for lua-language-server.
-- Written by "moonlatch types", and written anew each time.

-- Payload types ----------------------------------------------------------------------------------

---The type of a payload's field.
---@class moonlatch.Type

---@alias moonlatch.Field moonlatch.Type|stringlib|table<string, any>

---@class (exact) moonlatch.Constraints
---@field default? any What stands in for a missing value.
---@field samples? any[] Example values.

---@class (exact) moonlatch.NumberConstraints: moonlatch.Constraints
---@field min? number
---@field max? number

---@class (exact) moonlatch.StringConstraints: moonlatch.Constraints
---@field pattern? string A pattern of Lua's that the text must match.
---@field min_length? integer
---@field max_length? integer

---@class moonlatch.PlainType: moonlatch.Type
---@operator call(moonlatch.Constraints): moonlatch.Type

---@class moonlatch.NumberType: moonlatch.Type
---@operator call(moonlatch.NumberConstraints): moonlatch.Type

---A whole number; 5.0 becomes 5: `integer { min = 1, max = 10, default = 1 }`.
---@type moonlatch.NumberType
integer = {}

---A number; neither NaN nor an infinity: `number { min = 0 }`.
---@type moonlatch.NumberType
number = {}

---True or false: `boolean { default = false }`.
---@type moonlatch.PlainType
boolean = {}

---Any plain value; in an expectation a value, whichever it is.
---@type moonlatch.PlainType
any = {}

---@class stringlib
---@operator call(moonlatch.StringConstraints): moonlatch.Type

---One of some values: `one_of { "a", "b", default = "a" }`; in an expectation what one of these expects.
---@param values table
---@return moonlatch.Type
function one_of(values) end

---A list: `list_of(string)`, `list_of { integer, max_length = 10 }`.
---@param element moonlatch.Field
---@return moonlatch.Type
function list_of(element) end

---A table with open keys: `map_of(string)`, `map_of { string, key = integer }`.
---@param element moonlatch.Field
---@return moonlatch.Type
function map_of(element) end

---A field that may be missing.
---@param type moonlatch.Field
---@return moonlatch.Type
function optional(type) end

-- Plain data -------------------------------------------------------------------------------------

---Marks a table as a list, be it empty: `list {}`.
---@generic T: table
---@param elements T
---@return T
function list(elements) end

---Marks a table as one with open keys, strings or integers: `map {}`.
---@generic T: table
---@param entries T
---@return T
function map(entries) end

---A field without a value yet. It is written, never read: such a field reads as nil.
---@type any
none = nil

-- Lists and maps ---------------------------------------------------------------------------------

---True if f returns true for all elements.
---@param t table
---@param f fun(value: any, key: any): boolean
---@return boolean
function table.all(t, f) end

---True if f returns true for one element at least.
---@param t table
---@param f fun(value: any, key: any): boolean
---@return boolean
function table.any(t, f) end

---A random element of a list; nil if it is empty. For reducers and effects.
---@param list table
---@return any
function table.choice(list) end

---A copy of a value and all tables inside it.
---@generic T
---@param value T
---@return T
function table.copy(value) end

---The number of elements of a list or a map.
---@param t table
---@return integer
function table.count(t) end

---The elements for which f returns true: a list of them, or a map.
---@param t table
---@param f fun(value: any, key: any): boolean
---@return table
function table.filter(t, f) end

---The first element for which f returns true, and its key; nil if there is none.
---@param t table
---@param f fun(value: any, key: any): boolean
---@return any value
---@return any key
function table.find(t, f) end

---The results of f: a list of them, or a map with the same keys. Results that are nil are left out.
---@param t table
---@param f fun(value: any, key: any): any
---@return table
function table.map(t, f) end

---Puts the elements of a list into a random order, and returns the list. For reducers and effects.
---@param list table
---@return table
function table.shuffle(list) end

---The sum of the elements, or of the results of f.
---@param t table
---@param f? fun(value: any, key: any): number
---@return number
function table.sum(t, f) end

-- Declarations -----------------------------------------------------------------------------------

---The initial state: a table of plain values. Several files may each declare their part.
---@param part table
function state(part) end

---Declares an action with the fields of its payload: `action.coin { amount = integer { min = 1 } }`.
---@class moonlatch.Actions
---@field [string] fun(fields: table<string, moonlatch.Field>)

---@type moonlatch.Actions
action = {}

---Declares an action that effects and timers alone dispatch: `internal.paid { receipt = string }`.
---@type moonlatch.Actions
internal = {}

---`function reduce.NAME(s, a)` changes the state in place. Its only inputs are `s`, `a`, `now()`
---and `random()`; an error takes everything back.
---@class moonlatch.Reducers

---@type moonlatch.Reducers
reduce = {}

---`function gate.NAME(s, a)` lets the action pass, or refuses it: return true, or false and a
---reason. `gate("name", { "a", "b" }, rule)` rules several actions, `gate("name", "*", rule)` all.
---@class moonlatch.Gates

---@type moonlatch.Gates
gate = {}

---`function view.NAME(s)` selects from the state. Effects, factories and scenarios read
---`view.NAME()`.
---@class moonlatch.Views

---@type moonlatch.Views
view = {}

---`function invariant.NAME(s)` must hold in every state; false may be followed by a reason. A
---transition that breaks it is taken back.
---@class moonlatch.Invariants

---@type moonlatch.Invariants
invariant = {}

---Which version of itself the flow is: 1, if nothing is said.
---@param number integer
function version(number) end

---What the flow is called by the journals that keep its cases: the stem of its file, if nothing is said.
---@param name string
function flow_name(name) end

---`function migrate.to_2(s)` brings the state that version 1 has left up to date: it changes it, or returns another.
---`migrate.actions_2 { old = "new" }` has the new names of actions that are pending.
---@class moonlatch.Migrations
---@field [string] any

---@type moonlatch.Migrations
migrate = {}

---Remembers who has passed: `gatekeeper.loading { load = "attempt", loaded = "reset" }`, or with
---options `{ load = { attempt = "loading", unless = "loaded" } }`.
---@class moonlatch.Gatekeepers
---@field [string] moonlatch.Gatekeeper

---@class moonlatch.Gatekeeper
---@overload fun(policy: table<string, "attempt"|"reset"|"unless"|moonlatch.KeeperEntry>)
---@field may_pass fun(self: moonlatch.Gatekeeper, option?: string): boolean Whether a passage is free.
---@field holder fun(self: moonlatch.Gatekeeper, option?: string): string?, integer?, number? Action, revision and time of who holds it.

---@class (exact) moonlatch.KeeperEntry
---@field attempt? string|string[]|function
---@field reset? string|string[]|function
---@field unless? string|string[]|function

---@type moonlatch.Gatekeepers
gatekeeper = {}

---A chart: which actions move `s.NAME` between which named states. A state lists ways: `ACTION =
---"state"`, `true` (nothing moves), `false`, `{ refuse = "why" }`, `{ to = "state", when = f,
---reduce = f, reenter = true, history = true, restart_timer = "action" }`, or a list of these, and may have states inside. What
---the machine lists beside its states holds in all of them; `["*"]` stands for all.
---@class moonlatch.Machines
---@field [string] fun(definition: moonlatch.Machine)

---@class moonlatch.Machine: moonlatch.MachineStates
---@field each? string The path to records each of which has the machine: "players", "orders.*.items".
---@field which? string|string[] The field of a payload that says which record an action is about.
---@field which_in? table<string, string> For one action a field with a list of them.
---@field without? table<string, true> The actions that pass where there is no such record.
---@field field? string The records' field that says where their machine stands.

---@class moonlatch.MachineStates
---@field initial? string The state inside in which it begins.
---@field parallel? string[] The states inside that are active together.
---@field always? moonlatch.Way Taken as soon as its `when(s)` agrees.
---@field on_done? moonlatch.Way Taken when what is inside has finished.
---@field final? boolean
---@field on_enter? fun(s: any, a: any)
---@field on_exit? fun(s: any, a: any)
---@field effect? function|{ run: function, on_done?: string, on_error?: string|{ action: string, faults?: boolean } } Runs while the state lasts.
---@field after? table Delays: `after = { ACTION = "20s", { 20, "state" } }`
---@field every? table The same again and again.
---@field postpone? string|string[] The actions that wait until the state is left.
---@field [string] moonlatch.Way|moonlatch.MachineStates

---@alias moonlatch.Way string|boolean|table

---@type moonlatch.Machines
machine = {}

---Things and actions that exist only while a key is held.
---@class moonlatch.Scopes
---@field [string] fun(definition: moonlatch.ScopeDefinition)

---@class (exact) moonlatch.ScopeDefinition
---@field parent? string The scope around it; root if nothing is said.
---@field key? fun(s: any): any The lock: the scope is open while this is neither nil nor false.
---@field actions? string[] What passes only while the scope is open.
---@field make? table<string, fun(self: any, ...): any> Factories: the instance's methods.
---@field private? string[] Factories that children do not see.

---@type moonlatch.Scopes
scope = {}

---`function effect.NAME(self, a, commit)` runs after the action has passed; it may wait, use
---capabilities and dispatch. The long form is `effect.NAME = { run = f, on_done = "action",
---on_error = "action" }`: the one follows with what it returned, the other when it does not finish,
---with `error` and the fields of its own payload; of a fault of its script it hears with
---`on_error = { action = "action", faults = true }`.
---`effect("name", { "a", "b" }, f)` runs after several actions, `effect("name", "*", f)` after all.
---@class moonlatch.Effects

---@type moonlatch.Effects
effect = {}

---The record of a passed dispatch.
---@class (exact) moonlatch.Transition
---@field action string
---@field revision integer
---@field cause? integer
---@field time number
---@field patch table[]
---@field moves { machine: string, from: string, to: string }[] The machines that moved.

---One opening of a scope.
---@class moonlatch.Instance
---@field key any The value that opened it.
---@field entered_by? string The action that entered the state, in a state effect; nil if the machine began there.
---@field close fun(self: any) Closes an instance that was made by hand.
---@field defer fun(self: any, clean_up: fun()) Runs the function when the scope closes.

-- What effects do --------------------------------------------------------------------------------

---Dispatches an action from an effect: `dispatch.NAME { ... }` or `dispatch("NAME", { ... })`. In a
---scenario it returns the outcome.
---@class moonlatch.Dispatch

---@type moonlatch.Dispatch
dispatch = {}

---Whether an action may pass now: true, or false, a sentence, and who refuses.
---@class moonlatch.May

---@type moonlatch.May
may = {}

---Waits, in an effect or a stub.
---@param seconds number|string
function sleep(seconds) end

---Runs functions side by side, in an effect: gives what each returned, by its name. An error of one
---stops the others.
---@param functions table<any, fun(): any>
---@return table<any, any>
function all(functions) end

---Runs functions side by side, in an effect, until the first has ended: gives its name, and what it
---returned. The others are stopped.
---@param functions table<any, fun(): any>
---@return any name, any result
function race(functions) end

---Calls a function of an effect again while it raises, waiting longer each time. A capability that it calls has the
---same id in each attempt. A fault of the script itself is not tried again without `faults = true`.
---@param options { times?: integer, wait?: number|string, factor?: number, only?: (fun(message: string): boolean), faults?: boolean }
---@param f fun(): any
---@return any ...
function retry(options, f) end

---True in an effect that reaches this place for the first time; a durable effect records it. False in an effect that
---began with an earlier text and replays what it recorded then.
---@param name string What the change is called, such as "2027-retry".
---@return boolean
function revised(name) end

---A timer that an effect has set.
---@class (exact) moonlatch.Timer
---@field cancel fun(self: moonlatch.Timer): boolean Stops it: true if it was still pending.

---The time at which the action was taken from the queue, in seconds.
---@return number
function now() end

---When the case was born, in seconds since 1970; 0 for a host that is no case.
---@return number
function born() end

---Who offered the action: of which a gate or a reducer decides, or that an effect follows on. None where nobody said, and
---for what an effect or a timer dispatched.
---@return string?
function by() end

---A time in UTC, as `date` tells it.
---@class (exact) moonlatch.Date
---@field year integer
---@field month integer
---@field day integer
---@field hour integer
---@field min integer
---@field sec integer
---@field wday integer The day of the week; Sunday is 1.
---@field yday integer The day of the year.

---@class moonlatch.Dates
---@operator call(number): moonlatch.Date
---@field add_months fun(seconds: number, months: integer): number The same time of day so many months later, at most on the last day of that month.

---A time in seconds since 1970 as year, month, day and so on, in UTC: `date(born() + now()).year`.
---@type moonlatch.Dates
date = {}

---A number from 0 to 1, or an integer from `low` (1 if it is left out) to `high`.
---@param low? integer
---@param high? integer
---@return number
function random(low, high) end

-- Scenarios --------------------------------------------------------------------------------------

---Says which flow the scenarios of this file play; the path is relative to the file.
---@param path string
function flow(path) end

---Declares a scenario; it starts from a fresh flow. `effects = false` turns effects and timers off.
---@param name string
---@param body fun()
---@overload fun(name: string, options: { tags?: string[], skip?: string, effects?: boolean }, body: fun())
function scenario(name, body) end

---Runs before every scenario of the file.
---@param body fun()
function before_each(body) end

---Runs after every scenario of the file, however it ended.
---@param body fun()
function after_each(body) end

---A dispatch that was refused, or has failed.
---@class moonlatch.Refused
---@field because fun(self: moonlatch.Refused, text: string): moonlatch.Refused The reason contains this.
---@field by fun(self: moonlatch.Refused, who: string): moonlatch.Refused Who refused it, or the kind of failure.

---Dispatches an action, which must pass.
---@class moonlatch.Pass

---@type moonlatch.Pass
pass = {}

---Dispatches an action, which must pass, as if an effect or a timer did: an internal one too.
---@class moonlatch.Inside

---@type moonlatch.Inside
inside = {}

---Dispatches an action, which must be refused.
---@class moonlatch.Refuse

---@type moonlatch.Refuse
refuse = {}

---Dispatches an action, which must fail.
---@class moonlatch.Fail
---@field [string] fun(payload?: any): moonlatch.Refused

---@type moonlatch.Fail
fail = {}

---The state contains this; other forms ask for the whole state, for changes, views and more.
---@class moonlatch.Expect
---@overload fun(part: table)
---@field state fun(whole: table) The state is this.
---@field equal fun(actual: any, expected: any) The two are equal, with nothing left out.
---@field change fun(leaves: table) Exactly these leaves were changed by the last commit.
---@field view moonlatch.ExpectedViews
---@field machine moonlatch.ExpectedMachines
---@field gatekeeper moonlatch.ExpectedGatekeepers
---@field scope moonlatch.ExpectedScopes
---@field effects { none: fun() } Nothing waits, is pending or queued.
---@field refused table<string, fun(): moonlatch.Refused> The last refusal of a queued action.
---@field fault table<string, fun(text?: string)> The effect has ended by a fault whose message contains this.
---@field snapshot fun(name: string, value?: any) The value, or without one the course of the scenario, is as kept in snapshots/.
---@field migrates fun(asked: { version?: integer, from: table, to?: table, timers?: table }) What an earlier version has left is brought up to date so.

---@class moonlatch.ExpectedViews
---@class moonlatch.ExpectedMachines
---@class moonlatch.ExpectedGatekeepers
---@class moonlatch.ExpectedScopes

---@type moonlatch.Expect
expect = {}

-- Matchers: what an expectation may have in place of a value, as `any` and `one_of` are.

---A number not further from this one than `by`: `near(0.3, 0.01)`.
---@param number number
---@param by number
---@return any
function near(number, by) end

---A text in which a pattern of Lua's is found: `match "^r%d+$"`.
---@param pattern string
---@return any
function match(pattern) end

---A text with this part, or a list or map with an element that this expects.
---@param part any
---@return any
function contains(part) end

---Merges into the initial state, before the first action.
---@class moonlatch.Given
---@overload fun(part: table)
---@field gatekeeper moonlatch.ExpectedGatekeepers
---@field random fun(draws: number[]) what the next draws of chance give
---@field born fun(time: string) when the case was born: `given.born("2026-11-27T10:00:00Z")`

---@type moonlatch.Given
given = {}

---Moves the virtual clock and runs what is due on the way.
---@param seconds number|string
function advance(seconds) end

---Runs what is queued, without moving the clock.
function settle() end

---Ends the host as a killed process would, and restores the case from its journal.
function restart() end

---What the function dispatches is offered by somebody: `as("ann", function() pass.approve() end)`.
---@param who string
---@param body fun()
function as(who, body) end

---Answers for a capability: `stub("root.fetch", function(url) return "text" end)`; `stub.effect.NAME()` holds an effect at its
---first wait.
---@class moonlatch.Stub
---@overload fun(capability: string, answer: fun(...): any)
---@field effect table<string, fun()>

---@type moonlatch.Stub
stub = {}

---Ends the oldest held effect of that name with an action that follows on it: `finish.load("loaded", { items = {} })`.
---@type table<string, fun(action?: string, payload?: table)>
finish = {}

-- Explorations -----------------------------------------------------------------------------------

---What is gone through of a flow.
---@class moonlatch.ExplorationOptions
---@field actions? table<string, table|false> Lists of values by fields, a list of whole payloads, or false: never from outside.
---@field given? table[] Parts that are merged into the state: it begins with each of them.
---@field within? fun(s: any): boolean States for which it returns false are not explored further.
---@field ends? fun(s: any): boolean States for which it returns true are ends, not deadlocks.
---@field alike? table<string, table> Values that may be exchanged, by the payload field that holds them; at: where they stand in the state.
---@field effects? table<string, any> What effects end with; at_most: how many are under way at once.
---@field random? number[] What random() may give.

---Says what is explored of the flow, and in `body` what must hold there.
---@param name string
---@param options moonlatch.ExplorationOptions
---@param body? fun()
---@overload fun(name: string, body: fun())
function explore(name, options, body) end

---Holds if `says` returns true for every state; a reason may follow `false`.
---@param name string
---@param says fun(s: any): boolean, string?
function always(name, says) end

---Holds if `says` returns true for no state.
---@param name string
---@param says fun(s: any): boolean
function never(name, says) end

---Holds if `says` returns true for some state.
---@param name string
---@param says fun(s: any): boolean
function sometimes(name, says) end

---Holds if `says` returns true for every step.
---@param name string
---@param says fun(before: any, after: any, action: { name: string, payload: table, effect: string? }): boolean, string?
function step(name, says) end

---Holds if every infinite run that is fair to these actions reaches a state for which `says` returns true.
---@param name string
---@param says fun(s: any): boolean
---@param options? { fair: string[] }
function eventually(name, says, options) end

---Holds if each state for which `when` returns true is one for which `says` does, or is followed by one.
---@param name string
---@param when fun(s: any): boolean
---@param says fun(s: any): boolean
---@param options? { fair: string[] }
function leads_to(name, when, says, options) end
