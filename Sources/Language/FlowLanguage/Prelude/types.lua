-- Reads the types of payload fields and of the state, and describes them for Swift.

local host = host
local getmetatable, ipairs, next, pairs, tostring, type = getmetatable, ipairs, next, pairs, tostring, type
local concat, format, find = table.concat, string.format, string.find
local ceil, floor = math.ceil, math.floor
local NONE = host.none

local language = host.language
local list, map = language.list, language.map
local faults, trail, here, fault = language.faults, language.trail, language.here, language.fault
local step, check_data, descriptions = language.step, language.check_data, language.types
local DEEPEST = host.nesting()

local describe_type

local CONSTRAINTS = {
  boolean = { default = true, samples = true, secret = true },
  integer = { min = true, max = true, default = true, samples = true, secret = true },
  number = { min = true, max = true, default = true, samples = true, secret = true },
  string = { pattern = true, min_length = true, max_length = true, default = true, samples = true, secret = true },
  any = { default = true, samples = true, secret = true },
  one_of = { default = true, samples = true, secret = true },
  list_of = { min_length = true, max_length = true, default = true, samples = true, secret = true },
  map_of = { key = true, max_length = true, default = true, samples = true, secret = true },
}

local CONTAINERS = { list_of = true, map_of = true }

local function is_count(value) return math.type(value) == "integer" and value >= 0 end

-- For each constraint, a function that checks its value, and the words for messages.
local CONSTRAINT_TYPES = {
  min = { function(v) return type(v) == "number" and v == v end, "a number" },
  max = { function(v) return type(v) == "number" and v == v end, "a number" },
  min_length = { is_count, "a count, such as 1" },
  max_length = { is_count, "a count, such as 10" },
  pattern = {
    function(v) return type(v) == "string" and utf8.len(v) and host.protect(find, "", v) end,
    "a Lua pattern",
  },
  samples = { function(v) return type(v) == "table" end, "a list of values" },
  secret = { function(v) return type(v) == "boolean" end, "true or false" },
}

-- Returns true if the value of a constraint is valid; otherwise adds a fault.
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
    return fault(format("%s: %s is larger than %s", kind, least, most))
  end
  if kind ~= "integer" and kind ~= "number" or least ~= "min" then return end
  low, high = low or math.mininteger, high or math.maxinteger
  local none = low == math.huge or high == -math.huge
  if kind == "integer" then none = none or low > math.maxinteger or high < math.mininteger or ceil(low) > floor(high) end
  if none then fault(format("%s: no value is from min to max", kind)) end
end

-- Marks the tables of a value as maps if its type says that they are maps with integer keys.
local function read_by(description, value)
  local element = description.element
  if type(value) ~= "table" or host.kind(value) ~= "plain" or getmetatable(value) or descriptions[value] then
    return value
  end
  local copy, is_changed = {}, false
  local is_numbered = description.kind == "map_of" and description.has_integer_keys
  for key, part in pairs(value) do
    local its = description.kind == "record" and description.fields[key] or element
    copy[key] = its and read_by(its, part) or part
    is_changed = is_changed or copy[key] ~= part
    is_numbered = is_numbered and math.type(key) == "integer"
  end
  if is_numbered and next(value) ~= nil then return host.set_mark(copy, "map") end
  return is_changed and copy or value
end

-- Checks the keys of a table of options: constraints have names, and choices or the type of the elements have numbers.
local function check_places(kind, options)
  local most = kind == "one_of" and #options or CONTAINERS[kind] and 1 or 0
  for place in pairs(options) do
    if math.type(place) ~= "integer" then
      if type(place) ~= "string" then return fault(format("%s has no constraint %s", kind, tostring(place))) end
    elseif kind == "one_of" and (place < 1 or place > most) then
      return fault("one_of: the values to choose from must be a list without holes")
    elseif place < 1 or place > most then
      return fault(most == 0 and format("%s takes constraints by their names: %s { %s = ... }", kind, kind,
        kind == "string" and "max_length" or "default")
        or format("%s takes a single type for all its elements; remove number %d", kind, place))
    end
  end
end

-- Keys are strings or integers, as in the state; all keys of a map have the same kind.
local KEYS = { string = false, integer = true }

-- Returns true if the keys of a map are integers, according to their type; adds a fault if they can be neither.
local function has_integer_keys(key)
  local is_number = KEYS[key.kind]
  local usage = "map_of { ..., key = string }, key = integer or key = one_of { \"a\", \"b\" }"
  if key.kind == "one_of" then
    for _, value in ipairs(key.values) do
      local is_integer = math.type(value) == "integer"
      if type(value) ~= "string" and not is_integer then
        return fault(format("map_of: %s is not a key: keys are strings or whole numbers", tostring(value)))
      end
      if is_number ~= nil and is_number ~= is_integer then
        return fault("map_of: the keys of a map must all be strings or all be whole numbers")
      end
      is_number = is_integer
    end
  elseif is_number == nil then
    fault(format("map_of: %s is not a type for keys, which are strings or whole numbers; write %s",
      key.kind == "record" and "a record" or key.kind, usage))
  end
  return is_number
end

local function take_constraints(kind, options, description)
  check_places(kind, options)
  if kind == "map_of" and options.key ~= nil then  -- needed to read a default
    description.key = describe_type(options.key, kind)
    description.has_integer_keys = has_integer_keys(description.key)
  end
  for name, value in pairs(options) do
    if type(name) == "string" then
      if not CONSTRAINTS[kind][name] then
        local known = {}
        for constraint in pairs(CONSTRAINTS[kind]) do known[#known + 1] = constraint end
        fault(format("%s has no constraint %s (it takes %s)", kind, name, concat(known, ", ")))
      elseif name ~= "key" then
        if name == "default" then value = read_by(description, value) end
        if name == "samples" then value = read_by({ kind = "list_of", element = description }, value) end
        if check_constraint(kind, name, value) then description[name] = value end
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
  if type(options) ~= "table" or next(options) == nil or #options == 0 and options[1] == nil then
    fault("one_of takes the values to choose from: one_of { \"a\", \"b\" }")
    options = {}
  end
  local values, all = {}, #faults
  for index, value in ipairs(options) do
    local before = #faults
    local choice = format("one_of[%d]", index)
    if type(value) == "table" and not descriptions[value] then
      fault(choice .. ": one_of chooses among strings, numbers, true and false, not among tables; give each a name")
    elseif value == NONE then
      fault(choice .. ": none cannot be a choice; write optional(one_of { ... })")
    else
      check_data(value, choice, here(), {})
    end
    if #faults == before then values[#values + 1] = value end
  end
  if #faults > all then return { kind = "any", default = options.default } end
  return take_constraints(kind, options, { kind = kind, values = list(values) })
end

-- Adds a fault for each constraint among the fields of the elements; returns true if there was one.
local function check_beside(kind, options)
  local found = false
  for name in pairs(CONSTRAINTS[kind]) do
    local value = options[name]
    if value ~= nil and type(value) ~= "table" then
      fault(format("%s: %s is not a type; constraints go beside the type of the elements: %s { { ... }, %s = %s }",
        kind, tostring(value), kind, name, tostring(value)))
      found = true
    end
  end
  return found
end

local function container(kind, options)
  if type(options) == "table" and not is_type(options) and options[1] == nil
    and check_beside(kind, options) then
    return { kind = kind, element = { kind = "any" } }
  end
  local element, constraints = options, {}
  if type(options) == "table" and not is_type(options) and options[1] ~= nil then
    element, constraints = options[1], options
  end
  local description = { kind = kind, element = describe_type(element, kind) }
  if description.element.kind == "optional" then
    fault(kind == "list_of"
      and "list_of: an element of a list always has a value; leave out optional, or use a record with an optional field"
      or "map_of: an entry of a map always has a value; leave out optional")
  end
  take_constraints(kind, constraints, description)
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

-- Describes a type that was made from another one by adding constraints.
local function type_refined(made, base, options)
  local description = {}
  for name, value in pairs(descriptions[base]) do description[name] = value end
  descriptions[made] = description
  if description.kind == "optional" or type(options) ~= "table" then
    return fault(format("%s is refined by more constraints: { default = ... }", description.kind))
  end
  take_constraints(description.kind, options, description)
end

local type_depth = 0
-- The action whose fields are being read; the trail of keys gives the place of a fault in them.
local reading

local function describe_fields(fields, path)
  local described = {}
  if type_depth == DEEPEST then
    fault(format("%s: types are nested more than %d deep, or form a cycle; a tree is a map_of records by id, "
      .. "with ids as links", path, DEEPEST), reading)
    return described
  end
  type_depth = type_depth + 1
  for name, field in pairs(fields) do
    trail[#trail + 1] = name
    if type(name) ~= "string" then
      fault(format("%s: the fields of a payload need names, not %s", path, tostring(name)), reading)
    elseif not utf8.len(name) then
      fault(path .. ": names must be UTF-8", reading)
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

-- Describes the payload of an action, at the place of its declaration.
local function describe_payload(name, fields, place)
  reading = place
  place.fields = map(describe_fields(fields, "action " .. name))
  reading = nil
end

language.describe_payload, language.type_made = describe_payload, type_made
language.type_refined = type_refined
language.describe_type, language.describe_fields = describe_type, describe_fields
