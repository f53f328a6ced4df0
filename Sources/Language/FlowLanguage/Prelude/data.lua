-- Faults, and checks of plain data, on which the checks of a flow are built (flow.lua).

local host = host
local ipairs, pairs, tostring, type = ipairs, pairs, tostring, type
local format, match = string.format, string.match

local language = host.language
local list = language.list
local faults = {}
local NONE = host.none

local function here()
  local file, line = host.where()
  return { file = file or "", line = line or 0 }
end

-- The keys that lead from a declaration's table to the value that is being checked.
local trail = {}

-- Returns a key as it is shown in messages.
local function shown(key) return type(key) == "string" and host.printable(key) or key end

-- Adds a fault. If the place is that of a declaration whose table is being read (`word`), the fault gets the trail of
-- keys, by which Swift finds the line in the source: Lua's tables do not know their lines.
local function fault(message, place)
  place = place or here()
  local noted = { file = place.file, line = place.line, message = host.printable(message) }
  if place.word then
    local path = {}
    for index, key in ipairs(trail) do path[index] = shown(key) end
    noted.inside = { word = place.word, name = place.name and shown(place.name), path = list(path) }
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

local descriptions = {}  -- type, or the function that makes it -> its description

-- The argument that some types need.
local BARE = {
  list_of = "the type of its elements: list_of(string)", map_of = "the type of its elements: map_of(string)",
  optional = "a type: optional(string)", one_of = "the values to choose from: one_of { \"a\", \"b\" }",
}

-- The types in the declared state, each with the keys that lead there.
local typed = {}

-- Records a type that is used in place of a value: the type of a field of the state, if only records contain it.
local function take_type(value, path, place, above)
  local kind = descriptions[value].kind
  if place.word ~= "state" then
    return fault(format("%s: %s is a type, not a value", path, kind), place)
  end
  if above.list then
    return fault(format("%s: %s is a type, but list { ... } and map { ... } hold values; for a "
      .. "list of that type write list_of(%s)", path, kind, kind), place)
  end
  local bare = BARE[kind]
  if bare and not descriptions[value].element and not descriptions[value].values then
    return fault(format("%s: %s takes %s", path, kind, bare), place)
  end
  local keys = {}
  for index, key in ipairs(trail) do keys[index] = key end
  typed[#typed + 1] = { path = list(keys), type = descriptions[value], file = place.file, line = place.line }
end

-- Checks of plain data ---------------------------------------------------------------------------

local check_data

-- Finds the keys that lead to a fault. A check in C comes first; this one runs only if that has failed.
--
-- `inside` decides if an empty table must be marked as a list or map: nil for never, false for tables below this one.
local function check_table(value, path, place, above, inside)
  if above[value] then
    fault(path .. ": a table cannot contain itself (a cycle)", place)
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
    fault(path .. ": an empty table can be a list or a map; write list {} or map {}", place)
  end
  above[value] = true
  local below = inside ~= nil or nil
  local in_list = above.list
  above.list = in_list or mark ~= nil or value[1] ~= nil
  for key, element in pairs(value) do
    trail[#trail + 1] = key
    check_data(element, step(path, key), place, above, below)
    trail[#trail] = nil
  end
  above[value] = nil
  above.list = in_list
  above.depth = above.depth - 1
end

check_data = function(value, path, place, above, inside)
  local kind = type(value)
  if value ~= nil and descriptions[value] then
    take_type(value, path, place, above)
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

-- For the other files of the prelude.
language.faults, language.trail, language.here, language.fault = faults, trail, here, fault
language.step, language.types, language.typed = step, descriptions, typed

function language.check_data(value, path, place, above, inside)
  if host.is_plain(value, descriptions, inside ~= nil) then return end
  check_data(value, path, place, above, inside)
end
