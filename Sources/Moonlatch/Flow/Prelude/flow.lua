-- The flow language: what `state`, `action`, `reduce` and the others do while a flow loads.
--
-- Nothing is decided here. Each declaration is noted with its place, and `host.describe` hands the
-- notes to Swift, which checks them against each other. A mistake becomes a fault, not an error, so
-- that loading reports every one of them at once.

local host = host
local ipairs, next, pairs, select, tostring, type = ipairs, next, pairs, select, tostring, type
local error, setmetatable = error, setmetatable
local concat, format, sort, unpack = table.concat, string.format, table.sort, table.unpack
local find, gsub, match, rep, sub = string.find, string.gsub, string.match, string.rep, string.sub

-- What a scenario file or a prompt shares with a flow.
local LIBRARY = {
  "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "rawequal", "select",
  "setmetatable", "tonumber", "tostring", "type", "xpcall", "coroutine", "math", "string", "table",
  "utf8", "print", "list", "map", "none", "view",
}

local loading = true
local faults = {}
local NONE = host.none

local function here()
  local file, line = host.where()
  return { file = file or "", line = line or 0 }
end

local function fault(message, place)
  place = place or here()
  faults[#faults + 1] = { file = place.file, line = place.line, message = message }
end

local function must_be_loading(what)
  if not loading then
    error(what .. " is declared while the flow loads, not later", 0)
  end
end

-- A text as a declaration shows it: reduce.coin, or reduce["T02 Check"].
local function dotted(kind, name)
  if type(name) ~= "string" then return format("%s[%s]", kind, tostring(name)) end
  if match(name, "^[%a_][%w_]*$") then return kind .. "." .. name end
  return format("%s[%q]", kind, name)
end

-- Who runs, as messages say it.
local WHO = {
  idle = "the host", loading = "a file that is loading", rule = "a gate rule",
  reducer = "a reducer", view = "a view", invariant = "an invariant", effect = "an effect",
  script = "a script",
}

-- Raises where the script that runs now may not do what it is about to do.
local function must_not_be(phases, what)
  local phase = host.phase()
  if not phases[phase] then return end
  local file, line = host.where()
  error(format("%s:%d: %s cannot %s", file or "?", line or 0, WHO[phase], what), 0)
end

-- Plain data -------------------------------------------------------------------------------------

local DEEPEST = 100

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
  for key, element in pairs(value) do check_data(element, step(path, key), place, above, below) end
  above[value] = nil
  above.depth = above.depth - 1
end

check_data = function(value, path, place, above, inside)
  local kind = type(value)
  if kind == "table" then
    check_table(value, path, place, above, inside)
  elseif value ~= value then
    fault(path .. ": NaN is not plain data", place)
  elseif kind == "string" then
    if not utf8.len(value) then fault(path .. ": strings are UTF-8", place) end
  elseif kind ~= "boolean" and kind ~= "number" and value ~= NONE then
    fault(format("%s: a %s is not plain data", path, kind), place)
  end
end

local function list(t)
  if type(t) ~= "table" then error("list takes a table: list {}", 0) end
  return host.set_mark(t, "list")
end

local function map(t)
  if type(t) ~= "table" then error("map takes a table: map {}", 0) end
  return host.set_mark(t, "map")
end

-- state ------------------------------------------------------------------------------------------

local initial, declared_at, has_state = {}, {}, false

local function state(part)
  must_be_loading("state")
  local place = here()
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
      fault(format("state.%s is declared twice: here and at %s:%d", name, first.file, first.line),
        place)
    else
      initial[name], declared_at[name] = value, place
    end
  end
end

-- Types of payload fields ------------------------------------------------------------------------

local descriptions = setmetatable({}, {})  -- type -> what it is
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

local function new_type(description)
  local made = host.frozen({})
  descriptions[made] = description
  return made
end

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

local function simple_type(kind)
  local made = new_type({ kind = kind })
  host.callable(made, function(_, options)
    if type(options) ~= "table" then
      fault(format("%s takes its constraints in a table: %s { ... }", kind, kind))
      options = {}
    end
    return new_type(take_constraints(kind, options, { kind = kind }))
  end)
  return made
end

local function is_type(value)
  return type(value) == "table" and descriptions[value] ~= nil
end

local function one_of(options)
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
  return new_type(take_constraints("one_of", options, { kind = "one_of", values = list(values) }))
end

local function container(kind)
  return function(options)
    local element, constraints = options, {}
    if type(options) == "table" and not is_type(options) and options[1] ~= nil then
      element, constraints = options[1], options
    end
    local description = { kind = kind, element = describe_type(element, kind) }
    take_constraints(kind, constraints, description)
    if description.key ~= nil then description.key = describe_type(description.key, "map_of") end
    return new_type(description)
  end
end

local function optional(inner)
  return new_type({ kind = "optional", element = describe_type(inner, "optional") })
end

local type_depth = 0

local function describe_fields(fields, path)
  local described = {}
  if type_depth == DEEPEST then
    fault(format("%s: types are nested more than %d deep, or form a cycle", path, DEEPEST))
    return described
  end
  type_depth = type_depth + 1
  for name, field in pairs(fields) do
    if type(name) ~= "string" then
      fault(format("%s: a payload's fields have names, not %s", path, tostring(name)))
    else
      described[name] = describe_type(field, step(path, name))
    end
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
    or "a " .. type(value)))
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
  entry.title = dotted(kind, name)
  declared[kind][name] = entry
  order[kind][#order[kind] + 1] = entry
end

local function named(kind, name)
  if type(name) == "string" and name ~= "" and utf8.len(name) then return true end
  fault(format("%s needs a name in quotes, not %s", kind, tostring(name)))
  return false
end

local functions = {}  -- every function of a declaration, in their order

-- The place of a function is where it is written, not where it is assigned.
local function function_entry(f)
  local file, line, last, parameters = host.where_defined(f)
  if line < 1 or file == "[moonlatch]" then  -- not written by the script: where it is declared
    local place = here()
    file, line, last = place.file, place.line, place.line
  end
  local entry = { file = file, line = line, last_line = last, parameters = parameters,
    ref = host.keep(f), call = f, watched = f }
  functions[#functions + 1] = entry
  return entry
end

local function declare_function(kind, name, f)
  must_be_loading(dotted(kind, name))
  if not named(kind, name) then return end
  if type(f) ~= "function" then
    return fault(format("%s must be a function, not %s", dotted(kind, name),
      f == nil and "nil" or "a " .. type(f)))
  end
  note(kind, name, function_entry(f))
end

-- A table in which writing declares and reading gives what `read` says.
local function by_name(kind, read, call)
  return setmetatable({}, {
    __index = read,
    __newindex = function(_, name, f) declare_function(kind, name, f) end,
    __call = call,
    __metatable = false,
  })
end

local function declared_function(kind)
  return function(_, name)
    local entry = declared[kind][name]
    return entry and entry.call
  end
end

local action = setmetatable({}, {
  __index = function(_, name)
    return function(fields)
      must_be_loading(dotted("action", name))
      if not named("action", name) then return end
      if type(fields) ~= "table" then
        return fault(format("%s takes the fields of its payload in a table: %s {}",
          dotted("action", name), dotted("action", name)))
      end
      local place = here()
      place.fields = map(describe_fields(fields, "action " .. name))
      note("action", name, place)
    end
  end,
  __newindex = function(_, name)
    fault(format("an action is declared by a call: %s { field = type }", dotted("action", name)))
  end,
  __call = function(_, name)
    fault(format("an action is declared as %s { field = type }", dotted("action", name)))
    return function() end
  end,
  __metatable = false,
})

local reduce = by_name("reduce", declared_function("reduce"))

local gate = by_name("gate", declared_function("gate"), function(_, name, actions, rule)
  must_be_loading("gate")
  if not named("gate", name) then return end
  if type(rule) ~= "function" then
    return fault(format("gate %s needs a function: gate(%q, { \"action\" }, function(s, a) ... end)",
      name, name))
  end
  local entry = function_entry(rule)
  if actions == "*" then
    entry.every = true
  elseif type(actions) == "table" then
    local names = {}
    for _, each in ipairs(actions) do names[#names + 1] = tostring(each) end
    entry.actions = list(names)
  elseif type(actions) == "string" then
    entry.actions = list({ actions })
  else
    fault(format("gate %s says which actions it rules: a list of names, or \"*\"", name))
  end
  entry.named = true
  note("gate", name, entry)
end)

local REDUCER = { reducer = true }

local view = by_name("view", function(_, name)
  if loading then
    return declared.view[name] and function() error("a view is read after loading", 0) end
  end
  local entry = declared.view[name]
  if not entry then
    error(format("there is no view %s%s", tostring(name), host.nearest(name, declared.view)), 0)
  end
  entry.reader = entry.reader or function()
    must_not_be(REDUCER, "read a view: it works with s, a, now() and random()")
    return host.view_read(entry.number)
  end
  return entry.reader
end)

local invariant = by_name("invariant", declared_function("invariant"))

-- Modules ----------------------------------------------------------------------------------------

local NOTHING = {}
local modules, module_values = {}, {}

local function require(name)
  if type(name) ~= "string" then error("require takes a module's name", 0) end
  local found = modules[name]
  if found == NOTHING then error(format("module %q requires itself", name), 0) end
  if found ~= nil then return found end
  must_be_loading(format("module %q", name))
  local text, file = host.read_module(name)
  local chunk, message = host.compile(text, file)
  if not chunk then error(message, 0) end
  modules[name] = NOTHING
  local value = chunk(name, file)
  if value == nil then value = true end
  modules[name] = value
  module_values[#module_values + 1] = value
  return value
end

-- The host's side --------------------------------------------------------------------------------

-- Splits "file:line: message". Lua cuts a long file name short: "...der/flow.lua".
local function split_place(text, file)
  local at, line, rest = match(text, "^([^\n]-):(%d+): (.*)$")
  if at and sub(at, 1, 3) == "..." and sub(file, 3 - #at) == sub(at, 4) then at = file end
  return rest or text, { file = at or file, line = math.tointeger(line) or 0 }
end

function host.run_file(text, file)
  local chunk, message = host.compile(text, file)
  if not chunk then return fault(split_place(message, file)) end
  local ran, problem = host.protect(chunk)
  if ran then return end
  local text = type(problem) == "table" and type(problem.message) == "string" and problem.message
    or tostring(problem)
  fault(split_place(text, file))
end

local function entries(kind)
  local described = {}
  for index, entry in ipairs(order[kind]) do
    local copy = {}
    for key, value in pairs(entry) do
      if type(value) ~= "function" then copy[key] = value end
    end
    described[index] = copy
  end
  return list(described)
end

function host.describe()
  local names = {}
  for name in pairs(initial) do names[#names + 1] = name end
  local described = {
    actions = entries("action"),
    reducers = entries("reduce"),
    gates = entries("gate"),
    views = entries("view"),
    invariants = entries("invariant"),
    faults = list(faults),
    fields = list(names),
    has_state = has_state,
  }
  for kind, describe in pairs(host.describers) do described[kind] = describe() end
  described.faults = list(faults)
  return described
end

-- Loading is over: the state comes to life, and what scripts can reach becomes read-only.
function host.finish()
  loading = false
  for name, value in pairs(host.machine_fields()) do initial[name] = value end
  host.declare_state(initial)
  for name in pairs(host.machine_fields()) do host.mark_machine(name) end
  for _, value in ipairs(module_values) do host.freeze(value) end
  host.freeze_globals()
  local has_name = {}  -- a function declared twice is called by its first name, in every run
  for kind, entries_of_kind in pairs(order) do
    local named_functions = {}
    for _, entry in ipairs(entries_of_kind) do
      if entry.call and not has_name[entry.call] then
        named_functions[entry.name], has_name[entry.call] = entry.call, true
      end
    end
    host.name_functions(kind, named_functions)
  end
  host.watch_locals()
end

function host.number_view(name, number)
  declared.view[name].number = number
end

function host.matches(text, pattern)
  return find(text, pattern) ~= nil
end

-- Merges a part into the state, for a scenario's `given`. Lists are replaced whole.
local function merge(target, part)
  for key, value in pairs(part) do
    local present = target[key]
    local both = type(value) == "table" and type(present) == "table"
    if both and #value == 0 and next(value) ~= nil and #present == 0 then
      merge(present, value)
    else
      target[key] = value
    end
  end
end

function host.merge_state(part)
  merge(host.root(), part)
end

-- Carries changes out: { operation (0 set, 1 insert, 2 remove), path, value }. A set of the whole
-- state has an empty path.
function host.apply_changes(changes)
  for _, change in ipairs(changes) do
    local operation, path, value = change[1], change[2], change[3]
    local node = host.root()
    for index = 1, #path - 1 do node = node[path[index]] end
    local key = path[#path]
    if key == nil then
      for name in pairs(node) do
        if value[name] == nil then node[name] = nil end
      end
      for name, field in pairs(value) do node[name] = field end
    elseif operation == 1 then
      table.insert(node, key, value)
    elseif operation == 2 then
      table.remove(node, key)
    else
      node[key] = value
    end
  end
end

-- Takes over the state of an earlier text of the flow: fields that are new keep their initial value.
function host.merge_changes(changes)
  local node = host.root()
  for name, field in pairs(changes[1][3]) do node[name] = field end
end

-- An environment apart from the flow's own, for a scenario file or a prompt: `words`, then the
-- flow's library, then what `lookup` finds. New globals stay in it.
function host.new_environment(words, lookup)
  local names = {}
  for _, name in ipairs(LIBRARY) do names[name] = host.global(name) end
  for name, word in pairs(words) do names[name] = word end
  setmetatable(names, {
    __index = function(_, name)
      local found = lookup and lookup(name)
      if found ~= nil then return found end
      local file, line = host.where()
      error(format("%s:%d: global %s is not defined%s", file or "?", line or 0, tostring(name),
        host.nearest(tostring(name), names)), 0)
    end,
  })
  return setmetatable({}, { __index = names, __newindex = function(_, name, value)
    host.rawset(names, name, value)
  end, __metatable = false }), names
end

-- For the other files of the prelude.
host.describers = {}
host.language = {
  here = here, fault = fault, named = named, note = note, dotted = dotted, list = list,
  functions = functions, entries = entries, declared = declared, order = order, function_entry = function_entry,
  must_be_loading = must_be_loading, must_not_be = must_not_be, who = WHO,
  is_loading = function() return loading end,
  is_field = function(name) return declared_at[name] end,
}

-- What scripts see -------------------------------------------------------------------------------

local function print(...)
  local texts = {}
  for index = 1, select("#", ...) do texts[index] = tostring((select(index, ...))) end
  host.print(concat(texts, "\t"))
end

local string_type = simple_type("string")

for name, value in pairs({
  state = state, action = action, reduce = reduce, gate = gate, view = view,
  invariant = invariant, list = list, map = map, none = NONE, boolean = simple_type("boolean"),
  integer = simple_type("integer"), number = simple_type("number"), any = simple_type("any"),
  one_of = one_of, list_of = container("list_of"), map_of = container("map_of"),
  optional = optional, require = require, print = print,
}) do
  host.set_global(name, value)
end

-- `string` stays the library; as a type it is itself, or called.
descriptions[host.global("string")] = { kind = "string" }
host.callable(host.global("string"), function(_, options)
  if type(options) ~= "table" then
    fault("string takes its constraints in a table: string { max_length = 20 }")
    options = {}
  end
  return new_type(take_constraints("string", options, { kind = "string" }))
end)
