-- The checking of a flow: what looks at each declaration before it is made (declarators.c).
--
-- What scripts see is the same wherever a flow runs, and none of it stands here: `checks` has, for each
-- declarator and each way in which it is used, a function that looks at the declaration.
-- What it declares is noted with its place, and `host.describe` hands the notes to Swift, which checks them
-- against each other. A mistake becomes a fault, not an error, so that loading reports every one of them
-- at once.

local host = host
local ipairs, pairs, tostring, type = ipairs, pairs, tostring, type
local concat, format = table.concat, string.format
local find, match = string.find, string.match

local language = host.language
local dotted, list, map = language.dotted, language.list, language.map
local faults = {}
local NONE = host.none

local function here()
  local file, line = host.where()
  return { file = file or "", line = line or 0 }
end

-- The keys that lead from a declaration's table to what is looked at in it.
local trail = {}

-- Where the place is that of a declaration whose table is being read (`word`), the trail goes with
-- the fault, so that Swift finds the line in the text: a table knows none of its lines.
local function fault(message, place)
  place = place or here()
  local noted = { file = place.file, line = place.line, message = message }
  if place.word then
    local path = {}
    for index, key in ipairs(trail) do path[index] = key end
    noted.inside = { word = place.word, name = place.name, path = list(path) }
  end
  faults[#faults + 1] = noted
end

-- Plain data -------------------------------------------------------------------------------------

local DEEPEST = host.nesting()

local function step(path, key)
  if type(key) == "string" and match(key, "^[%a_][%w_]*$") then return path .. "." .. key end
  if type(key) == "string" then return format("%s[%q]", path, key) end
  return format("%s[%s]", path, tostring(key))
end

local function check_keys(value, path, mark, place)
  local names, numbers, others, highest = 0, 0, 0, 0
  for key in pairs(value) do
    if type(key) == "string" then
      names = names + 1
      if not utf8.len(key) then fault(path .. ": keys are UTF-8", place) end
    elseif math.type(key) == "integer" then
      numbers = numbers + 1
      if key > highest then highest = key end
      if key < 1 and mark ~= "map" then highest = math.maxinteger end
    else
      others = others + 1
      fault(format("%s: keys are strings or integers", step(path, key)), place)
    end
  end
  if names > 0 and numbers > 0 then
    fault(path .. ": a table has either named keys or the keys 1 to n, not both", place)
  elseif numbers > 0 and highest ~= numbers and mark ~= "map" then
    fault(path .. ": a list has the keys 1 to n without holes", place)
  elseif names > 0 and mark == "list" then
    fault(path .. ": a list has no named keys", place)
  end
  return names + numbers + others
end

-- Types ------------------------------------------------------------------------------------------

local descriptions = {}  -- type, or what makes one -> what it is

-- What a value of a type may be, as it is written.
local VALUES = {
  boolean = "false", integer = "0", number = "0.0", string = "\"\"", any = "none",
  one_of = "\"a\"", list_of = "list {}", map_of = "map {}", optional = "none",
}

local function example(described)
  local value = described.default
  if value == nil then value = described.min end
  if value == nil and described.values then value = described.values[1] end
  if type(value) == "string" then return format("%q", value) end
  if type(value) == "number" or type(value) == "boolean" then return tostring(value) end
  return VALUES[described.kind]
end

-- A type where a value belongs.
local function type_fault(described, path, place)
  if place.word ~= "state" then
    return fault(format("%s: %s is a type, not a value", path, described.kind), place)
  end
  local field, key = "", trail[#trail]
  if type(key) == "string" then
    field = (match(key, "^[%a_][%w_]*$") and key or format("[%q]", key)) .. " = "
  end
  fault(format("%s: %s is a type, for the payloads of actions; a field of the state begins with a "
    .. "value: %s%s", path, described.kind, field, example(described)), place)
end

-- Plain data, looked at --------------------------------------------------------------------------

local check_data

-- `inside` says whether an empty table must say its kind: nil for never, false for below this one.
local function check_table(value, path, place, above, inside)
  if above[value] then
    fault(path .. ": a table cannot stand inside itself (a cycle)", place)
    return
  end
  above.depth = (above.depth or 0) + 1
  if above.depth > DEEPEST then
    fault(format("%s: values are nested more than %d deep", path, DEEPEST), place)
    above.depth = above.depth - 1
    return
  end
  local mark = host.mark(value)
  local is_plain = getmetatable(value) == nil or mark or host.kind(value) ~= "plain"
  if not is_plain or not host.protect(pairs, value) then
    fault(path .. (is_plain and ": keys are strings or integers"
      or ": a table with a metatable is not plain data"), place)
    above.depth = above.depth - 1
    return
  end
  if check_keys(value, path, mark, place) == 0 and not mark and inside then
    fault(path .. ": an empty table says nothing of its kind; write list {} or map {}", place)
  end
  above[value] = true
  local below = inside ~= nil or nil
  for key, element in pairs(value) do
    trail[#trail + 1] = key
    check_data(element, step(path, key), place, above, below)
    trail[#trail] = nil
  end
  above[value] = nil
  above.depth = above.depth - 1
end

check_data = function(value, path, place, above, inside)
  local kind = type(value)
  if value ~= nil and descriptions[value] then
    type_fault(descriptions[value], path, place)
  elseif kind == "table" then
    check_table(value, path, place, above, inside)
  elseif value ~= value then
    fault(path .. ": NaN is not plain data", place)
  elseif kind == "string" then
    if not utf8.len(value) then fault(path .. ": strings are UTF-8", place) end
  elseif kind ~= "boolean" and kind ~= "number" and value ~= NONE then
    fault(format("%s: a %s is not plain data", path, kind), place)
  end
end

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
      fault(format("state: a field has a name, not %s", tostring(name)), place)
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

-- Types of payload fields ------------------------------------------------------------------------

local describe_type

local CONSTRAINTS = {
  boolean = { default = true, samples = true },
  integer = { min = true, max = true, default = true, samples = true },
  number = { min = true, max = true, default = true, samples = true },
  string = { pattern = true, min_length = true, max_length = true, default = true, samples = true },
  any = { default = true, samples = true },
  one_of = { default = true, samples = true },
  list_of = { min_length = true, max_length = true, default = true, samples = true },
  map_of = { key = true, max_length = true, default = true, samples = true },
}

local function is_count(value) return math.type(value) == "integer" and value >= 0 end

-- What each constraint has to be, and how to say so.
local CONSTRAINT_TYPES = {
  min = { function(v) return type(v) == "number" and v == v end, "a number" },
  max = { function(v) return type(v) == "number" and v == v end, "a number" },
  min_length = { is_count, "a count, such as 1" },
  max_length = { is_count, "a count, such as 10" },
  pattern = {
    function(v) return type(v) == "string" and utf8.len(v) and host.protect(find, "", v) end,
    "a pattern of Lua's",
  },
  samples = { function(v) return type(v) == "table" end, "a list of values" },
}

-- True when the constraint can be meant; otherwise it is a fault.
local function check_constraint(kind, name, value)
  local wanted = CONSTRAINT_TYPES[name]
  if wanted and not wanted[1](value) then
    fault(format("%s: %s must be %s, got %s", kind, name, wanted[2], tostring(value)))
    return false
  end
  if name == "default" or name == "samples" then
    local before = #faults
    check_data(value, kind .. "." .. name, here(), {})
    return #faults == before
  end
  return true
end

local function check_order(kind, least, most, description)
  local low, high = description[least], description[most]
  if low and high and low > high then
    fault(format("%s: %s is larger than %s", kind, least, most))
  end
end

local function take_constraints(kind, options, description)
  for name, value in pairs(options) do
    if type(name) == "string" then
      if not CONSTRAINTS[kind][name] then
        local known = {}
        for constraint in pairs(CONSTRAINTS[kind]) do known[#known + 1] = constraint end
        fault(format("%s has no constraint %s (it takes %s)", kind, name, concat(known, ", ")))
      elseif check_constraint(kind, name, value) then
        description[name] = value
      end
    end
  end
  check_order(kind, "min", "max", description)
  check_order(kind, "min_length", "max_length", description)
  return description
end

local function is_type(value)
  return type(value) == "table" and descriptions[value] ~= nil
end

local function simple(kind, options)
  if type(options) == "table" then return take_constraints(kind, options, { kind = kind }) end
  local some = kind == "string" and "{ max_length = 20 }" or "{ ... }"
  fault(format("%s takes its constraints in a table: %s %s", kind, kind, some))
  return { kind = kind }
end

local function one_of(kind, options)
  if type(options) ~= "table" or options[1] == nil then
    fault("one_of takes the values to choose from: one_of { \"a\", \"b\" }")
    options = {}
  end
  local values = {}
  for index, value in ipairs(options) do
    local before = #faults
    check_data(value, format("one_of[%d]", index), here(), {})
    if #faults == before then values[#values + 1] = value end
  end
  return take_constraints(kind, options, { kind = kind, values = list(values) })
end

local function container(kind, options)
  local element, constraints = options, {}
  if type(options) == "table" and not is_type(options) and options[1] ~= nil then
    element, constraints = options[1], options
  end
  local description = { kind = kind, element = describe_type(element, kind) }
  take_constraints(kind, constraints, description)
  if description.key ~= nil then description.key = describe_type(description.key, "map_of") end
  return description
end

local function optional(kind, inner)
  return { kind = kind, element = describe_type(inner, kind) }
end

local TYPES = {
  boolean = simple, integer = simple, number = simple, string = simple, any = simple,
  one_of = one_of, list_of = container, map_of = container, optional = optional,
}

for kind in pairs(TYPES) do descriptions[host.global(kind)] = { kind = kind } end

local function type_made(kind, made, options)
  descriptions[made] = TYPES[kind](kind, options)
end

local type_depth = 0
-- The action of which the fields are read: what is wrong in them is placed by the trail of keys.
local reading

local function describe_fields(fields, path)
  local described = {}
  if type_depth == DEEPEST then
    fault(format("%s: types are nested more than %d deep, or form a cycle", path, DEEPEST), reading)
    return described
  end
  type_depth = type_depth + 1
  for name, field in pairs(fields) do
    trail[#trail + 1] = name
    if type(name) ~= "string" then
      fault(format("%s: a payload's fields have names, not %s", path, tostring(name)), reading)
    else
      described[name] = describe_type(field, step(path, name))
    end
    trail[#trail] = nil
  end
  type_depth = type_depth - 1
  return described
end

describe_type = function(value, path)
  if is_type(value) then return descriptions[value] end
  if type(value) == "table" and host.kind(value) == "plain" then
    return { kind = "record", fields = map(describe_fields(value, path)) }
  end
  fault(format("%s: %s is not a type (boolean, integer, number, string, any, one_of, list_of, "
    .. "map_of, optional, or a table of fields)", path, type(value) == "table" and "this table"
    or "a " .. type(value)), reading)
  return { kind = "any" }
end

-- Declarations by name: kind.name = function ----------------------------------------------------

local declared, order = {}, {}
for _, kind in ipairs({ "action", "reduce", "gate", "view", "invariant", "gatekeeper", "machine",
  "scope", "effect" }) do
  declared[kind], order[kind] = {}, {}
end

-- Notes a declaration, unless the name is taken.
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

-- What was noted of functions, by which `describe` tells their numbers: they are kept once the declaration
-- has been found good.
local functions = {}

-- The place of a function is where it is written, not where it is assigned.
local function function_entry(f)
  local file, line, last, parameters = host.where_defined(f)
  if line < 1 or file == "?" then  -- not written by the script: where it is declared
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

-- What is at fault however it is written.
local function wrong(message)
  return function() fault(message) end
end

local function action_named(name, fields)
  if not named("action", name) then return end
  local title = dotted("action", name)
  if type(fields) ~= "table" then
    return fault(format("%s takes the fields of its payload in a table: %s {}", title, title))
  end
  local place = here()
  place.word, place.name = "action", name
  reading = place
  place.fields = map(describe_fields(fields, "action " .. name))
  reading = nil
  note("action", name, place)
end

local function action_written(name)
  fault(format("an action is declared by a call: %s { field = type }", dotted("action", name)))
end

local function action_called(name)
  fault(format("an action is declared as %s { field = type }", dotted("action", name)))
end

-- The actions that a gate or an effect names, noted in its entry: a list, one, or "*".
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
    format("gate %s says which actions it rules: a list of names, or \"*\"", name))
  note("gate", name, entry)
end

local checks = {}

-- Adds what looks at a declarator's use, for each way of it: what notes no fault is good.
local function add_checks(declarator, ways)
  local guarded = {}
  for how, check in pairs(ways) do
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
add_checks("type", { made = type_made })
add_checks("action", { named = action_named, written = action_written, called = action_called })
add_checks("gate", { written = written("gate"), called = gate_called })
for kind, way in pairs({
  reduce = "a reducer is declared as function reduce.NAME(s, a) ... end",
  view = "a view is declared as function view.NAME(s) ... end",
  invariant = "an invariant is declared as function invariant.NAME(s) ... end",
}) do
  add_checks(kind, { written = written(kind), called = wrong(way) })
end

-- The host's side --------------------------------------------------------------------------------

local function entries(kind) return list(order[kind]) end

-- Tells every function that was noted by the number under which it is kept: the first, if there are several,
-- and 0 for one in a declaration with a fault, which keeps none.
local function number_functions()
  local numbers = {}
  for number = -host.kept(), -1 do numbers[host.kept_function(number)] = number end
  for _, noted in ipairs(functions) do noted.entry.ref = numbers[noted.f] or 0 end
end

-- How many elements of a list or map are looked at, to tell what it holds.
local LOOKED_AT = 20

-- How deep it is told; the note itself is nested twice as deep, and has to keep to the limit.
local TOLD = math.min(20, (DEEPEST - 5) // 2)

-- What kind of value the state begins with somewhere, and what is below it.
local function shape(value, depth)
  if depth > TOLD then return nil end
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
  local described = {
    actions = entries("action"),
    reducers = entries("reduce"),
    gates = entries("gate"),
    views = entries("view"),
    invariants = entries("invariant"),
    faults = list(faults),
    fields = list(fields),
    has_state = has_state,
  }
  for kind, describe in pairs(host.describers) do described[kind] = describe() end
  described.faults = list(faults)
  return described
end

-- For the other files of the prelude.
host.describers = {}
language.declared, language.order = declared, order
language.here, language.fault, language.named, language.note = here, fault, named, note
language.entries, language.function_entry = entries, function_entry
language.note_actions, language.wrong, language.add_checks = note_actions, wrong, add_checks
language.is_field = function(name) return declared_at[name] end
language.trail = trail
