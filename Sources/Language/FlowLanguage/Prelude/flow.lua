-- Checks the declarations of a flow before they are made (declarators.c).
--
-- The functions that scripts see are not here, since they are the same wherever a flow runs. `checks` has a function
-- for each declarator and each form of its use, which checks the declaration and records it with its place.
-- `host.describe` passes the records to Swift, which checks them against each other. A mistake becomes a fault, not an
-- error, so loading reports all mistakes at once.

local host = host
local ipairs, pairs, tostring, type = ipairs, pairs, tostring, type
local format = string.format

local language = host.language
local dotted, list, map = language.dotted, language.list, language.map
local faults, trail, here, fault = language.faults, language.trail, language.here, language.fault
local check_data = language.check_data
local NONE = host.none

-- state ------------------------------------------------------------------------------------------

local initial, declared_at, has_state = {}, {}, false

local function state(part)
  local place = here()
  place.word = "state"
  if type(part) ~= "table" then
    return fault("state takes a table of fields: state { count = 0 }", place)
  end
  has_state = true
  local before = #faults
  check_data(part, "state", place, {}, false)
  if #faults > before then return end
  for name, value in pairs(part) do
    local first = declared_at[name]
    if type(name) ~= "string" then
      fault(format("state: a field needs a name, not %s", tostring(name)), place)
    elseif first then
      trail[1] = name
      fault(format("state.%s is declared twice: here and at %s:%d", name, first.file, first.line),
        place)
      trail[1] = nil
    else
      initial[name], declared_at[name] = value, place
    end
  end
end

-- Declarations by name: kind.name = function ----------------------------------------------------

local declared, order = {}, {}
for _, kind in ipairs({ "action", "reduce", "gate", "view", "invariant", "gatekeeper", "machine",
  "scope", "migrate", "effect" }) do
  declared[kind], order[kind] = {}, {}
end

-- Records a declaration; a second one with the same name is a fault.
local function note(kind, name, entry)
  local first = declared[kind][name]
  if first then
    return fault(format("%s is declared twice: here and at %s:%d", dotted(kind, name), first.file,
      first.line), entry)
  end
  entry.name = name
  declared[kind][name] = entry
  order[kind][#order[kind] + 1] = entry
end

local function named(kind, name)
  if type(name) == "string" and name ~= "" and utf8.len(name) then return true end
  fault(format("%s needs a name in quotes, not %s", kind, tostring(name)))
  return false
end

-- The recorded functions with their entries, to which `describe` adds the functions' numbers: a function gets one
-- only after its declaration has been checked.
local functions = {}

-- The place of a function is where it is written, not where it is assigned.
local function function_entry(f)
  local file, line, last, parameters = host.where_defined(f)
  if line < 1 or file == "?" then  -- not written by the script: use the place of the declaration
    local place = here()
    file, line, last = place.file, place.line, place.line
  end
  local entry = { file = file, line = line, last_line = last, parameters = parameters }
  functions[#functions + 1] = { entry = entry, f = f }
  return entry
end

-- kind.name = function
local function written(kind)
  return function(name, f)
    if not named(kind, name) then return end
    if type(f) == "function" then return note(kind, name, function_entry(f)) end
    fault(format("%s must be a function, not %s", dotted(kind, name),
      f == nil and "nil" or "a " .. type(f)))
  end
end

-- A check that always fails, for a form of use that does not exist.
local function wrong(message)
  return function() fault(message) end
end

-- action.NAME and internal.NAME
local function action_named(word)
  return function(name, fields)
    if not named("action", name) then return end
    local title = dotted(word, name)
    if type(fields) ~= "table" then
      return fault(format("%s takes the fields of its payload in a table: %s {}", title, title))
    end
    local place = here()
    place.word, place.name, place.internal = word, name, word == "internal"
    language.describe_payload(name, fields, place)
    note("action", name, place)
  end
end

local function action_written(word)
  return function(name)
    fault(format("an action is declared by a call: %s { field = type }", dotted(word, name)))
  end
end

local function action_called(word)
  return function(name)
    fault(format("an action is declared as %s { field = type }", dotted(word, name)))
  end
end

-- Records the actions of a gate or an effect in its entry: a list of names, one name, or "*".
local function note_actions(entry, actions, complaint)
  entry.named = true
  if actions == "*" then
    entry.every = true
  elseif type(actions) == "string" then
    entry.actions = list({ actions })
  elseif type(actions) == "table" then
    local names = {}
    for _, each in ipairs(actions) do names[#names + 1] = tostring(each) end
    entry.actions = list(names)
  else
    fault(complaint)
  end
end

local function gate_called(name, actions, rule)
  if not named("gate", name) then return end
  if type(rule) ~= "function" then
    return fault(format("gate %s needs a function: gate(%q, { \"action\" }, function(s, a) ... end)",
      name, name))
  end
  local entry = function_entry(rule)
  note_actions(entry, actions,
    format("gate %s needs the actions that it applies to: a list of names, or \"*\"", name))
  note("gate", name, entry)
end

local checks = {}

-- Adds the checks of a declarator, one for each form of its use; a check returns true if it found no fault.
local function add_checks(declarator, uses)
  local guarded = {}
  for how, check in pairs(uses) do
    guarded[how] = function(...)
      local before = #faults
      check(...)
      return #faults == before
    end
  end
  checks[declarator] = guarded
end

host.set_checks(checks)
add_checks("state", { called = state })
add_checks("type", { made = language.type_made, refined = language.type_refined })
for _, word in ipairs({ "action", "internal" }) do
  add_checks(word, { named = action_named(word), written = action_written(word),
    called = action_called(word) })
end
add_checks("gate", { written = written("gate"), called = gate_called })
for kind, use in pairs({
  reduce = "a reducer is declared as function reduce.NAME(s, a) ... end",
  view = "a view is declared as function view.NAME(s) ... end",
  invariant = "an invariant is declared as function invariant.NAME(s) ... end",
}) do
  add_checks(kind, { written = written(kind), called = wrong(use) })
end

-- migrate.to_N = function, migrate.actions_N { old = "new" }
local function step_of(name, word)
  return type(name) == "string" and math.tointeger(tonumber(name:match("^" .. word .. "_(%d+)$")))
end

local MIGRATION = "migrate.to_2 must be a function of the state that version 1 has stored; migrate.actions_2 { old = "
  .. "\"new\" } renames actions"

add_checks("migrate", {
  written = function(name, f)
    local step = step_of(name, "to")
    if not step or step < 2 or type(f) ~= "function" then return fault(MIGRATION) end
    local entry = function_entry(f)
    entry.version = step
    note("migrate", name, entry)
  end,
  named = function(name, actions)
    local step = step_of(name, "actions")
    if not step or step < 2 or type(actions) ~= "table" then return fault(MIGRATION) end
    local entry, names = here(), {}
    for old, new in pairs(actions) do
      if type(old) ~= "string" or type(new) ~= "string" then return fault(MIGRATION) end
      names[old] = new
    end
    entry.version, entry.actions = step, map(names)
    note("migrate", name, entry)
  end,
  called = wrong(MIGRATION),
})

local version

local function version_called(number)
  if version then
    return fault(format("version is declared twice: here and at %s:%d", version.file, version.line))
  end
  if math.type(number) ~= "integer" or number < 1 then
    return fault("version takes a whole number, at least 1: version(2)")
  end
  version = here()
  version.number = number
end

add_checks("version", { called = version_called })

local flow_name

local function flow_name_called(name)
  if flow_name then
    return fault(format("flow_name is declared twice: here and at %s:%d", flow_name.file, flow_name.line))
  end
  if type(name) ~= "string" or #name > 64 or not name:find("^[%w_][%w_.-]*$") then
    return fault('flow_name takes a name of 1 to 64 letters, digits, "_", "-" and ".": flow_name "orders"')
  end
  flow_name = here()
  flow_name.name = name
end

add_checks("flow_name", { called = flow_name_called })

-- The host's side --------------------------------------------------------------------------------

local function entries(kind) return list(order[kind]) end

-- Sets the number of each recorded function: the first if it has several, and 0 if its declaration has a fault, since
-- such functions are not stored.
local function number_functions()
  local numbers = {}
  for number = -host.kept(), -1 do numbers[host.kept_function(number)] = number end
  for _, noted in ipairs(functions) do noted.entry.ref = numbers[noted.f] or 0 end
end

-- The number of elements of a list or map that are examined to find its shape.
local LOOKED_AT = 20

-- The greatest depth of a shape. The record of a shape is nested twice as deep, and must stay within the limit.
local TOLD = math.min(20, (host.nesting() - 5) // 2)

-- Returns the shape of an initial value: its kind, and the shapes of its parts.
local function shape(value, depth)
  if depth > TOLD then return nil end
  if language.types[value] then return { kind = "any" } end
  if value == NONE then return { kind = "none" } end
  if type(value) ~= "table" then return { kind = math.type(value) or type(value) } end
  if depth == TOLD then return { kind = "any" } end
  local kind = host.mark(value) or (value[1] ~= nil and "list") or "record"
  if kind == "record" then
    local fields = {}
    for name, field in pairs(value) do fields[name] = shape(field, depth + 1) end
    return { kind = kind, fields = map(fields) }
  end
  local elements = {}
  for _, element in pairs(value) do
    elements[#elements + 1] = shape(element, depth + 1)
    if #elements == LOOKED_AT then break end
  end
  return { kind = kind, elements = list(elements) }
end

function host.describe()
  number_functions()
  local fields = {}
  for name, value in pairs(initial) do
    local place = declared_at[name]
    fields[#fields + 1] = { name = name, file = place.file, line = place.line,
      shape = shape(value, 0) }
  end
  return {
    actions = entries("action"),
    reducers = entries("reduce"),
    gates = entries("gate"),
    views = entries("view"),
    invariants = entries("invariant"),
    gatekeepers = entries("gatekeeper"),
    machines = entries("machine"),
    scopes = entries("scope"),
    effects = entries("effect"),
    migrations = entries("migrate"),
    version = version and version.number or 1,
    flow_name = flow_name and flow_name.name,
    faults = list(faults),
    fields = list(fields),
    typed = list(language.typed),
    has_state = has_state,
  }
end

-- For the other files of the prelude.
language.declared, language.order = declared, order
language.named, language.note = named, note
language.function_entry, language.note_actions = function_entry, note_actions
language.wrong, language.add_checks = wrong, add_checks
language.is_field = function(name) return declared_at[name] end
