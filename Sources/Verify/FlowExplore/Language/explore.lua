-- The language of exploration files, which declare the part of a flow to explore and the properties that must hold. It
-- runs in the flow's VM, in its own environment. Swift reads the declarations, and calls the functions by number.

local host = host
local declaring = host.declaring
local here, fault, misuse = declaring.here, declaring.fault, declaring.misuse
local error, ipairs, math_type, pairs, rawequal, select, setmetatable, tostring, type =
  error, ipairs, math.type, pairs, rawequal, select, setmetatable, tostring, type
local format = string.format
local now = host.global("now")

local explorations = {}
local functions = {}  -- the functions of properties and options, by number
local holds = {}  -- for each function, its upvalues
local under  -- the exploration that is being declared
local is_loaded = false
local is_stepping = false

-- Options as data ---------------------------------------------------------------------------------

local function kept(body)
  functions[#functions + 1] = body
  return #functions
end

-- Converts a table of options to data: a function becomes its number, and an unusable value becomes its description.
local told

local function told_entries(value, above)
  local items, fields, entries, count = {}, {}, {}, #value
  local has_fields, has_entries, listed = false, false, 0
  for key, element in pairs(value) do
    local integer = math_type(key) == "integer"
    if integer and key >= 1 and key <= count then
      items[key], listed = told(element, above), listed + 1
    elseif integer then
      has_entries, entries[key] = true, told(element, above)
    elseif type(key) == "string" then
      has_fields, fields[key] = true, told(element, above)
    else
      return { ["\0odd"] = "a table with keys that are no names" }
    end
  end
  has_entries = has_entries or listed < count  -- the length of a table with holes is unreliable
  if count > 0 then host.set_mark(items, "list") end
  if count > 0 and not has_fields and not has_entries and host.mark(value) ~= "map" then return items end
  if has_entries and has_fields then
    return { ["\0odd"] = "a table with numbered and named entries" }
  end
  if has_entries or host.mark(value) == "map" and count > 0 then  -- its type decides if it is a map
    for key, item in pairs(items) do entries[key] = item end
    return host.set_mark(entries, "map")
  end
  if count > 0 then return { ["\0items"] = items, ["\0fields"] = fields } end
  if not has_fields and host.mark(value) then return host.set_mark({}, host.mark(value)) end
  return fields
end

told = function(value, above)
  local kind = type(value)
  if kind == "string" or kind == "number" or kind == "boolean" then return value end
  if rawequal(value, host.none) then return { ["\0none"] = true } end
  if kind == "function" then return { ["\0function"] = kept(value) } end
  if kind ~= "table" then return { ["\0odd"] = "a " .. kind } end
  if above[value] then return { ["\0odd"] = "a table that contains itself" } end
  above[value] = true
  local entries = told_entries(value, above)
  above[value] = nil
  return entries
end

-- Declarations ------------------------------------------------------------------------------------

local function flow(path)
  if under then misuse("flow must be outside of explorations, at the top of the file") end
  declaring.must_be_own("flow", "exploration")
  declaring.flow(path)
end

local FORM = "explore(\"NAME\", { actions = { ... } }, function() ... end)"

local function explore(name, options, body)
  if under then misuse("an exploration cannot be inside another one") end
  declaring.must_be_own("an exploration", "exploration")
  if type(options) == "function" and body == nil then options, body = {}, options end
  if type(name) ~= "string" or name == "" then
    return fault("an exploration needs a name: " .. FORM)
  end
  options = options == nil and {} or options
  if type(options) ~= "table" then
    return fault(format("explore %q: the options must be a table: %s", name, FORM))
  end
  if body ~= nil and type(body) ~= "function" then
    return fault(format("explore %q: the properties must be in a function: %s", name, FORM))
  end
  local place = here()
  for _, other in ipairs(explorations) do
    if other.name == name then
      fault(format("two explorations are named %q: here and at line %d", name, other.line))
    end
  end
  local exploration = { name = name, line = place.line, options = told(options, {}), properties = {} }
  explorations[#explorations + 1] = exploration
  if not body then return end
  under = exploration
  body()
  under = nil
end

local function form(kind, parameters)
  return format("%s(\"NAME\", %s)", kind, parameters)
end

local function property(kind, count, parameters)
  return function(name, ...)
    if not under then misuse(format("%s must be inside explore(\"NAME\", function() ... end)", kind)) end
    if type(name) ~= "string" or name == "" then
      return fault(format("%s needs a name: %s", kind, form(kind, parameters)))
    end
    local given, place, numbers = { ... }, here(), {}
    for _, other in ipairs(under.properties) do
      if other.kind == kind and other.name == name then
        fault(format("%s %q is declared twice: here and at line %d", kind, name, other.line))
      end
    end
    for index = 1, count do
      if type(given[index]) ~= "function" then
        return fault(format("%s %q needs %s: %s", kind, name,
          count == 1 and "a function" or "two functions", form(kind, parameters)))
      end
      numbers[index] = kept(given[index])
    end
    local _, _, _, takes = host.where_defined(given[1])
    under.properties[#under.properties + 1] = {
      kind = kind, name = name, line = place.line, functions = host.set_mark(numbers, "list"),
      takes = takes, options = given[count + 1] ~= nil and told(given[count + 1], {}) or nil,
    }
  end
end

-- Counts records in the state that is loaded in the VM.
local function counting(word)
  local count = host.global(word)
  return function(...)
    if is_stepping then
      misuse(format("%s is for properties of states; in a property of steps use in_state", word))
    end
    return count(...)
  end
end

local ON_STATE = "function(s) ... end"
local words, names = host.new_environment({
  flow = flow, explore = explore,
  in_state = host.global("in_state"), count_in = counting "count_in", all_in = counting "all_in",
  now = function()
    if is_stepping then misuse("a step has two times: use now() in a property of states") end
    return now()
  end,
  always = property("always", 1, ON_STATE),
  never = property("never", 1, ON_STATE),
  sometimes = property("sometimes", 1, ON_STATE),
  step = property("step", 1, "function(before, after, action) ... end"),
  eventually = property("eventually", 1, ON_STATE .. ", { fair = { \"ACTION\" } }"),
  leads_to = property("leads_to", 2, ON_STATE .. ", " .. ON_STATE .. ", { fair = { \"ACTION\" } }"),
}, function(name)
  if name == "s" or name == "state" then
    misuse(format("global %s is not defined; a property gets the state: function(s) ... end", name))
  end
end)

local environment = setmetatable({}, {
  __index = function(_, name) return words[name] end,
  __newindex = function(_, name, value)
    if is_loaded then
      misuse(format("a property must not change anything, but this one sets the global %s", tostring(name)))
    end
    host.rawset(names, name, value)
  end,
  __metatable = false,
})

declaring.environment = environment
declaring.set = function(word, value) host.rawset(names, word, value) end
declaring.is_closed = function() return is_loaded end

-- Calls of the functions --------------------------------------------------------------------------

-- Ensures that a function returns the same result for the same state: makes the tables that it uses read-only, and
-- records the values of its upvalues.
local function look_after(body, held, seen)
  if seen[body] then return end
  seen[body] = true
  for index = 1, 255 do
    local name, value = host.upvalue(body, index)
    if name == nil then return end
    if name ~= "_ENV" then
      held[#held + 1] = { body, index, name, value }
      if type(value) == "function" then look_after(value, held, seen) end
      if type(value) == "table" then host.freeze(value) end
    end
  end
end

local function unchanged(number, ...)
  for _, place in ipairs(holds[number]) do
    local name, value = host.upvalue(place[1], place[2])
    if not rawequal(value, place[4]) and value == value then
      local file, line = host.where_defined(functions[number])
      error(format("%s:%d: it changes the local %s, but must return the same result for the same state",
        file, line, name), 0)
    end
  end
  return ...
end

local function answer(...)
  if select("#", ...) == 0 then return "nothing" end
  local holds_there, reason = ...
  return holds_there and "yes" or "no", type(reason) == "string" and reason or ""
end

-- Evaluates a property of states.
function host.explore_ask(number)
  is_stepping = false
  return answer(unchanged(number, functions[number](host.root())))
end

-- Evaluates a property of steps: one of the two states is loaded in the VM, the other is `other`.
function host.explore_step(number, stands_after, other, action)
  local before, after = host.root(), host.freeze(other)
  host.set_other_state(after)
  if stands_after then before, after = after, before end
  is_stepping = true
  return answer(unchanged(number, functions[number](before, after, host.freeze(action))))
end

-- Returns the results with which an effect may end in the state.
function host.explore_answers(number, payload)
  is_stepping = false
  return told(unchanged(number, functions[number](host.root(), host.freeze(payload))), {})
end

-- The host's side ---------------------------------------------------------------------------------

-- Runs the file, and returns its declarations; an error that the file raises is left to the caller.
function host.explore_file(text, file)
  local said = declaring.run(text, file, environment)
  is_loaded = true
  for number, body in ipairs(functions) do
    holds[number] = {}
    look_after(body, holds[number], {})
  end
  for _, exploration in ipairs(explorations) do
    exploration.properties = host.set_mark(exploration.properties, "list")
  end
  said.explorations = host.set_mark(explorations, "list")
  return said
end
