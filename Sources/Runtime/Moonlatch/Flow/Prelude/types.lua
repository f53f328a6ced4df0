-- The types of payload fields: what each is made of, and how that is told.

local host = host
local ipairs, pairs, tostring, type = ipairs, pairs, tostring, type
local concat, format, find = table.concat, string.format, string.find

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
  secret = { function(v) return type(v) == "boolean" end, "true or false" },
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

-- Constraints among the fields of the elements: true if there were any, which are faults.
local function check_beside(kind, options)
  local found = false
  for name in pairs(CONSTRAINTS[kind]) do
    local value = options[name]
    if value ~= nil and type(value) ~= "table" then
      fault(format("%s: %s is not a type; constraints stand beside the element: %s { { ... }, %s = %s }",
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

-- A type that was made from another one, with more said of it.
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
-- The action of which the fields are read: what is wrong in them is placed by the trail of keys.
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

-- What an action says of its payload, at the place of its declaration.
local function describe_payload(name, fields, place)
  reading = place
  place.fields = map(describe_fields(fields, "action " .. name))
  reading = nil
end

language.describe_payload, language.type_made = describe_payload, type_made
language.type_refined = type_refined
