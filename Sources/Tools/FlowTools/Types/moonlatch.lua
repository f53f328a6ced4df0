---@meta _
-- The language of Moonlatch's flows and scenarios, for lua-language-server.
-- Written by "moonlatch types", which overwrites it each time.

-- Payload types ----------------------------------------------------------------------------------

---The type of a payload's field.
---@class moonlatch.Type

---@alias moonlatch.Field moonlatch.Type|stringlib|table<string, any>

---@class (exact) moonlatch.Constraints
---@field default? any Used in place of a missing value.
---@field samples? any[] Example values.

---@class (exact) moonlatch.NumberConstraints: moonlatch.Constraints
---@field min? number
---@field max? number

---@class (exact) moonlatch.StringConstraints: moonlatch.Constraints
---@field pattern? string A Lua pattern that the string must match.
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

---Any plain value; in an expectation, it matches every value.
---@type moonlatch.PlainType
any = {}

---@class stringlib
---@operator call(moonlatch.StringConstraints): moonlatch.Type

---One of some values: `one_of { "a", "b", default = "a" }`; in an expectation, it matches any of these.
---@param values table
---@return moonlatch.Type
function one_of(values) end

---A list: `list_of(string)`, `list_of { integer, max_length = 10 }`.
---@param element moonlatch.Field
---@return moonlatch.Type
function list_of(element) end

---A map: any keys, with values of one type: `map_of(string)`, `map_of { string, key = integer }`.
---@param element moonlatch.Field
---@return moonlatch.Type
function map_of(element) end

---A field that may be missing.
---@param type moonlatch.Field
---@return moonlatch.Type
function optional(type) end

-- Plain data -------------------------------------------------------------------------------------

---Marks a table as a list, even if it is empty: `list {}`.
---@generic T: table
---@param elements T
---@return T
function list(elements) end

---Marks a table as a map, whose keys are any strings or any integers: `map {}`.
---@generic T: table
---@param entries T
---@return T
function map(entries) end

---The initial value of a field without a value. It is only written: such a field reads as nil.
---@type any
none = nil

-- Lists and maps ---------------------------------------------------------------------------------

---True if f returns true for all elements.
---@param t table
---@param f fun(value: any, key: any): boolean
---@return boolean
function table.all(t, f) end

---True if f returns true for at least one element.
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

---Declares an action that only effects and timers can dispatch: `internal.paid { receipt = string }`.
---@type moonlatch.Actions
internal = {}

---`function reduce.NAME(s, a)` changes the state in place. Its only inputs are `s`, `a`, `now()`
---and `random()`; an error rolls everything back.
---@class moonlatch.Reducers

---@type moonlatch.Reducers
reduce = {}

---`function gate.NAME(s, a)` lets the action pass, or refuses it: return true, or false and a
---reason. `gate("name", { "a", "b" }, rule)` applies to several actions, `gate("name", "*", rule)` to all.
---@class moonlatch.Gates

---@type moonlatch.Gates
gate = {}

---`function view.NAME(s)` selects from the state. Effects, factories and scenarios read
---`view.NAME()`.
---@class moonlatch.Views

---@type moonlatch.Views
view = {}

---`function invariant.NAME(s)` must return true in every state; it may return a reason after false. A
---dispatch that violates it is rolled back.
---@class moonlatch.Invariants

---@type moonlatch.Invariants
invariant = {}

---The version of the flow; 1 by default.
---@param number integer
function version(number) end

---The name of the flow in journals; by default the name of its file without the extension.
---@param name string
function flow_name(name) end

---`function migrate.to_2(s)` migrates the state that version 1 has stored: it changes the state, or returns another.
---`migrate.actions_2 { old = "new" }` renames actions that are pending.
---@class moonlatch.Migrations
---@field [string] any

---@type moonlatch.Migrations
migrate = {}

---An in-flight lock, which refuses an action while an earlier one has not completed:
---`gatekeeper.loading { load = "attempt", loaded = "reset" }`, or with
---options `{ load = { attempt = "loading", unless = "loaded" } }`.
---@class moonlatch.Gatekeepers
---@field [string] moonlatch.Gatekeeper

---@class moonlatch.Gatekeeper
---@overload fun(policy: table<string, "attempt"|"reset"|"unless"|moonlatch.KeeperEntry>)
---@field may_pass fun(self: moonlatch.Gatekeeper, option?: string): boolean True if a passage is free.
---@field holder fun(self: moonlatch.Gatekeeper, option?: string): string?, integer?, number? Action, revision and time of the holder.

---@class (exact) moonlatch.KeeperEntry
---@field attempt? string|string[]|function
---@field reset? string|string[]|function
---@field unless? string|string[]|function

---@type moonlatch.Gatekeepers
gatekeeper = {}

---A statechart: which actions move `s.NAME` between which states. A state lists transitions: `ACTION =
---"state"`, `true` (stays), `false` (refuses), `{ refuse = "why" }`, `{ to = "state", when = f,
---reduce = f, reenter = true, history = true, restart_timer = "action" }`, or a list of these; and may have states inside.
---Transitions beside the states apply in all of them; `["*"]` applies to all states of a table.
---@class moonlatch.Machines
---@field [string] fun(definition: moonlatch.Machine)

---@class moonlatch.Machine: moonlatch.MachineStates
---@field each? string The path of records, each of which has the machine: "players", "orders.*.items".
---@field which? string|string[] The payload field that names the record of an action.
---@field which_in? table<string, string> For an action, a payload field with a list of records.
---@field without? table<string, true> The actions that pass even if there is no such record.
---@field field? string The field of the records that holds the active state.

---@class moonlatch.MachineStates
---@field initial? string The initial state inside.
---@field parallel? string[] The states inside that are active together.
---@field always? moonlatch.Transition Taken as soon as its `when(s)` returns true.
---@field on_done? moonlatch.Transition Taken once the states inside have finished.
---@field final? boolean
---@field on_enter? fun(s: any, a: any)
---@field on_exit? fun(s: any, a: any)
---@field effect? function|{ run: function, on_done?: string, on_error?: string|{ action: string, faults?: boolean } } Runs as long as the state is active.
---@field after? table Timers: `after = { ACTION = "20s", { 20, "state" } }`
---@field every? table Repeating timers.
---@field postpone? string|string[] The actions that wait until the state is left.
---@field [string] moonlatch.Transition|moonlatch.MachineStates

---@alias moonlatch.Transition string|boolean|table

---@type moonlatch.Machines
machine = {}

---Actions, objects and capabilities that exist only while a key is held.
---@class moonlatch.Scopes
---@field [string] fun(definition: moonlatch.ScopeDefinition)

---@class (exact) moonlatch.ScopeDefinition
---@field parent? string The enclosing scope; root by default.
---@field key? fun(s: any): any The key in the state: the scope is open while this is neither nil nor false.
---@field actions? string[] The actions that pass only while the scope is open.
---@field make? table<string, fun(self: any, ...): any> Factories: the instance's methods.
---@field private? string[] Factories that children do not see.

---@type moonlatch.Scopes
scope = {}

---`function effect.NAME(self, a, commit)` runs after the action has passed; it may wait, use
---capabilities and dispatch. The long form is `effect.NAME = { run = f, on_done = "action",
---on_error = "action" }`: on_done is dispatched with the result, on_error if the effect does not finish,
---with `error` and the fields of the effect's payload; after a fault of its script only with
---`on_error = { action = "action", faults = true }`.
---`effect("name", { "a", "b" }, f)` runs after several actions, `effect("name", "*", f)` after all.
---@class moonlatch.Effects

---@type moonlatch.Effects
effect = {}

---The record of a passed dispatch.
---@class (exact) moonlatch.Commit
---@field action string
---@field revision integer
---@field cause? integer
---@field time number
---@field changes table[]
---@field writes table[]
---@field moves { machine: string, from: string, to: string }[] The machines that moved.

---An instance of a scope: from its opening until it closes.
---@class moonlatch.Instance
---@field key any The key that opened it.
---@field entered_by? string The action that entered the state, in a state effect; nil if it is the initial state.
---@field close fun(self: any) Closes an instance that the script has unlocked.
---@field defer fun(self: any, clean_up: fun()) Runs the function when the scope closes.

-- What effects do --------------------------------------------------------------------------------

---Dispatches an action from an effect: `dispatch.NAME { ... }` or `dispatch("NAME", { ... })`. In a
---scenario it returns the outcome.
---@class moonlatch.Dispatch

---@type moonlatch.Dispatch
dispatch = {}

---Returns true if an action would pass now; otherwise false, the reason as a sentence, and what refuses it.
---@class moonlatch.May

---@type moonlatch.May
may = {}

---Waits, in an effect or a stub.
---@param seconds number|string
function sleep(seconds) end

---Runs functions concurrently, in an effect, and returns their results by name. An error of one
---stops the others.
---@param functions table<any, fun(): any>
---@return table<any, any>
function all(functions) end

---Runs functions concurrently, in an effect, until the first has ended; returns its name and its
---result. The others are stopped.
---@param functions table<any, fun(): any>
---@return any name, any result
function race(functions) end

---Calls a function of an effect again as long as it raises an error, and waits longer each time. A capability call in it
---has the same id in each attempt. A fault of the script itself is not tried again without `faults = true`.
---@param options { times?: integer, wait?: number|string, factor?: number, only?: (fun(message: string, failure?: { final: boolean, status?: integer, after?: number }): boolean), faults?: boolean }
---@param f fun(): any
---@return any ...
function retry(options, f) end

---True in an effect that reaches this place for the first time, which a durable effect records. False in an effect that
---began with an earlier version and replays its records.
---@param name string The name of the change, such as "2027-retry".
---@return boolean
function revised(name) end

---A timer that an effect has set.
---@class (exact) moonlatch.Timer
---@field cancel fun(self: moonlatch.Timer): boolean Stops it: true if it was still pending.

---The time at which the action was taken from the queue, in seconds.
---@return number
function now() end

---The birth of the case, in seconds since 1970; 0 for a host without a case.
---@return number
function born() end

---Who dispatched the current action, or the action after which an effect runs. None if the host did not name anybody,
---and for actions of effects and timers.
---@return string?
function by() end

---A time in UTC, as returned by `date`.
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

---Names the flow of the scenarios in this file; the path is relative to the file.
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
---@field because fun(self: moonlatch.Refused, text: string): moonlatch.Refused The reason must contain this.
---@field by fun(self: moonlatch.Refused, who: string): moonlatch.Refused What refused it, or the kind of failure.

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

---Dispatches an action, which must fail. In a function of a host file, `fail(message, retryable)` ends the call with a
---failure.
---@class moonlatch.Fail
---@field [string] fun(payload?: any): moonlatch.Refused
---@overload fun(message: string, retryable?: boolean)

---@type moonlatch.Fail
fail = {}

---The state must contain this; other forms check the whole state, changes, views and more.
---@class moonlatch.Expect
---@overload fun(part: table)
---@field state fun(whole: table) The state must be exactly this.
---@field equal fun(actual: any, expected: any) The two must be completely equal.
---@field change fun(leaves: table) The last commit must have changed exactly these leaves.
---@field view moonlatch.ExpectedViews
---@field machine moonlatch.ExpectedMachines
---@field gatekeeper moonlatch.ExpectedGatekeepers
---@field scope moonlatch.ExpectedScopes
---@field effects { none: fun() } No effect is waiting, no timer pending, no action queued.
---@field refused table<string, fun(): moonlatch.Refused> The last refusal of a queued action.
---@field fault table<string, fun(text?: string)> The effect must have ended by a fault whose message contains this.
---@field snapshot fun(name: string, value?: any) The value, or else the dispatches so far, must equal those in snapshots/.
---@field migrates fun(asked: { version?: integer, from: table, to?: table, timers?: table }) The state of an earlier version is migrated to this.

---@class moonlatch.ExpectedViews
---@class moonlatch.ExpectedMachines
---@class moonlatch.ExpectedGatekeepers
---@class moonlatch.ExpectedScopes

---@type moonlatch.Expect
expect = {}

-- Matchers: what an expectation may have in place of a value, as `any` and `one_of` are.

---Matches a number that differs from this one by at most `by`: `near(0.3, 0.01)`.
---@param number number
---@param by number
---@return any
function near(number, by) end

---Matches a string in which a Lua pattern is found: `match "^r%d+$"`.
---@param pattern string
---@return any
function match(pattern) end

---Matches a string that contains this, or a list or map with an element that matches this.
---@param part any
---@return any
function contains(part) end

---Merges into the initial state, before the first action.
---@class moonlatch.Given
---@overload fun(part: table)
---@field gatekeeper moonlatch.ExpectedGatekeepers
---@field random fun(draws: number[]) the next results of random()
---@field born fun(time: string) the birth of the case: `given.born("2026-11-27T10:00:00Z")`

---@type moonlatch.Given
given = {}

---Advances the virtual clock, and runs the timers that become due.
---@param seconds number|string
function advance(seconds) end

---Runs the queued actions, without advancing the clock.
function settle() end

---Ends the host like a killed process, and restores the case from its journal.
function restart() end

---Dispatches the actions of a function in the name of somebody: `as("ann", function() pass.approve() end)`.
---@param who string
---@param body fun()
function as(who, body) end

---Replaces a capability by a function: `stub("root.fetch", function(url) return "text" end)`; `stub.effect.NAME()` holds an
---effect at its first wait.
---@class moonlatch.Stub
---@overload fun(capability: string, answer: fun(...): any)
---@field effect table<string, fun()>

---@type moonlatch.Stub
stub = {}

---Ends the oldest held effect of that name by dispatching an action: `finish.load("loaded", { items = {} })`.
---@type table<string, fun(action?: string, payload?: table)>
finish = {}

-- Explorations -----------------------------------------------------------------------------------

---The part of a flow to explore.
---@class moonlatch.ExplorationOptions
---@field actions? table<string, table|false> Payloads to try: lists of values by field, a list of payloads, or false for none from outside.
---@field given? table[] Initial states to try: each part is merged into the initial state.
---@field within? fun(s: any): boolean States for which it returns false are not explored further.
---@field ends? fun(s: any): boolean States for which it returns true are ends, not deadlocks.
---@field alike? table<string, table> Symmetric values, by the payload field that holds them; at: their paths in the state.
---@field effects? table<string, any> The results of effects; at_most: the greatest number that run at once.
---@field random? number[] The results of random() to try.

---Declares an exploration of the flow, with its properties in `body`.
---@param name string
---@param options moonlatch.ExplorationOptions
---@param body? fun()
---@overload fun(name: string, body: fun())
function explore(name, options, body) end

---Holds if `says` returns true for every state; it may return a reason after `false`.
---@param name string
---@param says fun(s: any): boolean, string?
function always(name, says) end

---Holds if `says` returns true for no state.
---@param name string
---@param says fun(s: any): boolean
function never(name, says) end

---Holds if `says` returns true for at least one state.
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

---Holds if each state for which `when` returns true is followed by a state for which `says` does, or is one itself.
---@param name string
---@param when fun(s: any): boolean
---@param says fun(s: any): boolean
---@param options? { fair: string[] }
function leads_to(name, when, says, options) end

-- Host files -------------------------------------------------------------------------------------

---A performer of a capability, for `provide`.
---@class moonlatch.Performer

---@alias moonlatch.Arguments (string|{ [1]: string, [2]: moonlatch.Field })[]|table<string, moonlatch.Field>

---`provide { charge = http { ... } }` names the capabilities of the root, `provide.user { ... }` those of a scope.
---@class moonlatch.Provide
---@field [string] fun(capabilities: table<string, moonlatch.Performer>)
---@overload fun(capabilities: table<string, moonlatch.Performer>)

---@type moonlatch.Provide
provide = {}

---@class (exact) moonlatch.WorkerOptions
---@field queue? string The queue from which workers claim its tasks.
---@field args? moonlatch.Arguments
---@field result? moonlatch.Field
---@field lease? number|string The time for which a claimed task belongs to its worker.
---@field attempts? integer The number of lost leases after which the task is dead.
---@field timeout? number|string The longest time from the call to the answer.

---A capability that workers perform, which claim its tasks over HTTP.
---@param options? moonlatch.WorkerOptions
---@return moonlatch.Performer
function worker(options) end

---@class (exact) moonlatch.HTTPOptions
---@field [1] "GET"|"HEAD"|"POST"|"PUT"|"PATCH"|"DELETE" The method.
---@field [2] string The URL; `{name}` in its path or query takes an argument.
---@field args? moonlatch.Arguments
---@field result? moonlatch.Field
---@field headers? table<string, string>
---@field body? "json"|"form"|"none"
---@field key? false|{ header: string, quoted?: boolean } The header with the id of the call.
---@field answers? integer[] Statuses that are answers too: the result is `{ status, body }`.
---@field request? fun(args: table, call: string): { query?: table, headers?: table, body?: any }|nil
---@field response? fun(status: integer, body: any, headers: table<string, string>): any
---@field callback? number|string The longest time until a webhook brings the answer.
---@field timeout? number|string The longest time of a request.
---@field at_once? integer The most requests of a node at once.
---@field max? integer The greatest size of a response's body in bytes.
---@field private? boolean Allows private addresses.
---@field plain? boolean Allows `http://` to public addresses.
---@field tls? { ca?: string, cert?: string, key?: string } Texts in PEM.
---@field secret? string|string[] Of a notification: the secret by which it is signed, `whsec_...`.
---@field on? string[] Of a notification: the actions whose commits are sent.
---@field views? string[] Of a notification: the views whose values are sent.
---@field payload? boolean Of a notification: sends the payload of the action.
---@field give_up? number|string Of a notification: the longest time from the first failed try to the last.

---A capability that the server performs by an HTTP request.
---@param options moonlatch.HTTPOptions
---@return moonlatch.Performer
function http(options) end

---@class (exact) moonlatch.CommandOptions
---@field [1] string The program: a name in PATH, or a path.
---@field [integer] string Its arguments; `{name}` takes an argument of the call, `{{` is a brace.
---@field args? moonlatch.Arguments
---@field result? moonlatch.Field
---@field env? table<string, string> Variables of the environment, besides PATH and LANG.
---@field timeout? number|string The longest time of a run.
---@field at_once? integer The most runs of a node at once.
---@field max? integer The greatest size of standard output in bytes.

---A capability that the server performs by running a program.
---@param options moonlatch.CommandOptions
---@return moonlatch.Performer
function command(options) end

---@class (exact) moonlatch.HookOptions
---@field signature "github"|"stripe"|"standard"|{ header: string, equals: string|string[] }
---@field secret? string|string[] The secret, or the old one and the new one while it is replaced.
---@field actions? string[] The actions that the webhook may dispatch.
---@field run fun(event: any, request: { headers: table<string, string>, query: table }): table|nil
---@field refused? "accept" Answers 200 when the flow refuses an action.

---`hooks.NAME = { ... }` declares a webhook, to which other programs send signed requests.
---@type table<string, moonlatch.HookOptions>
hooks = {}

---`notify.NAME = http { "POST", ... }` tells another program of commits.
---@type table<string, moonlatch.Performer>
notify = {}

---`env.NAME` is the text of an environment variable, `env("NAME", default)` one that may be missing.
---@class moonlatch.Environment
---@field [string] string
---@overload fun(name: string, default?: string): string

---@type moonlatch.Environment
env = {}

---The text of a file without its last line break; a relative path leads from the host file's folder.
---@param path string
---@return string
function file(path) end
