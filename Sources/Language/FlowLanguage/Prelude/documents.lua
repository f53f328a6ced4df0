-- Runs SCXML documents: provides the environment for the functions that Swift has generated from a document.
--
-- The variables of a document are in the state, and are globals of its functions: each document has an environment in
-- front of the state. To raise events or reach other sessions, a function calls the host by name.

local host = host
local error, ipairs, pairs, rawequal, select, setmetatable, tostring, type =
  error, ipairs, pairs, rawequal, select, setmetatable, tostring, type
local format, gsub, length_of, math_type, to_integer =
  string.format, string.gsub, utf8.len, math.type, math.tointeger
local document = host.document

-- The library functions that expressions can use.
local LIBRARY = {}
for _, name in ipairs({ "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "rawequal",
  "rawget", "rawlen", "rawset", "select", "setmetatable", "tonumber", "tostring", "type", "xpcall", "coroutine", "math", "string", "table",
  "utf8", "_VERSION", "print", "list", "map", "none", "date", "now", "random", "born" }) do
  LIBRARY[name] = host.global(name)
end

local SYSTEM = { _event = true, _sessionid = true, _name = true, _ioprocessors = true, _x = true }

local EVENT_FIELDS = { name = true, type = true, sendid = true, origin = true, origintype = true, invokeid = true,
  data = true }

-- The running document, the table of its variables, and the payload.
local here, root, payload

-- For each document: its variables, the variables that its scripts and loops create, its functions, its globals.
local declared, created, functions, environments = {}, {}, {}, {}
-- True until the first event.
local is_quiet

-- `_event`; the `_ioprocessors` of each document, and their locations.
local event
local processors, locations = {}, {}

local function part(field)
  local value = document("event", here, field)
  if field == "data" and value == true then return payload end
  return value
end

-- Copies a system variable to a plain table, so that a variable of the document can hold it.
local function plain(value)
  local copy
  if value == nil or type(value) ~= "table" then return value end
  if rawequal(value, event) then
    copy = {}
    for field in pairs(EVENT_FIELDS) do copy[field] = part(field) end
  elseif locations[value] then
    copy = {}
    for name, processor in pairs(locations[value]) do copy[name] = { location = processor.location } end
  end
  return copy or value
end

local function is_array(value)
  if type(value) ~= "table" then return false end
  local mark = host.mark(value)
  return mark == "list" or mark == nil and #value > 0
end

local function is_same(one, other)
  if rawequal(one, other) then return true end
  if type(one) ~= "table" or type(other) ~= "table" then return one == other end
  for name, value in pairs(one) do if not is_same(value, other[name]) then return false end end
  for name in pairs(other) do if one[name] == nil then return false end end
  return true
end

-- Compares tables by their contents: variables hold values, and never share a table.
local function is_equal(one, other) return is_same(plain(one), plain(other)) end

event = setmetatable({}, {
  __index = function(_, field) return part(field) end,
  __newindex = function() error("_event cannot be changed", 2) end,
  __eq = is_equal,
  __metatable = false,
})

-- Returns a system variable of a document; nil if it has no such variable.
local function system(number, name)
  if name ~= "_ioprocessors" then return document("system", number, name) end
  if not processors[number] then
    local own = document("system", number, name)
    processors[number] = setmetatable({}, {
      __index = function(_, processor) return own[processor] and { location = own[processor].location } end,
      __newindex = function() error("_ioprocessors cannot be changed", 2) end,
      __eq = is_equal,
      __metatable = false,
    })
    locations[processors[number]] = own
  end
  return processors[number]
end

local function In(state) return document("in", here, state) end

-- Returns true and the value of a field of the state; false if the state has no such field.
local function field_of(root, name)
  return host.protect(function() return root[name] end)
end

local function absent(name, names) return format("there is no variable %s%s", name, host.nearest(name, names)) end

local function environment(number)
  local own, names, made = functions[number], declared[number], created[number]
  return setmetatable({}, {
    __index = function(_, name)
      if names[name] then return root[name] end
      local found = own[name]
      if found ~= nil then return found end
      -- Until it has a value, the library's value of that name is used.
      if made[name] and root then
        found = root[name]
        if found ~= nil then return found end
      end
      found = LIBRARY[name]
      if found ~= nil then return found end
      if name == "In" then return In end
      if name == "_event" then return not is_quiet and event or nil end
      if SYSTEM[name] then return system(number, name) end
      if not root then return nil end
      local is_field, value = field_of(root, name)
      if not is_field then error(absent(name, names), 2) end
      return value
    end,
    __newindex = function(_, name, value)
      if SYSTEM[name] then error(format("%s cannot be changed", name), 2) end
      if type(value) == "function" then
        if host.phase() == "loading" and not root then
          host.rawset(own, name, value)
        elseif not own[name] then
          error(format("%s: only the document's own scripts define functions, and variables cannot hold them",
            name), 2)
        end
      elseif root then
        root[name] = plain(value)
      end
    end,
    __metatable = false,
  })
end

-- Prepares the environment of a document's function, and returns it.
local function enter(number, state, given)
  here, payload = number, given
  local field = state and host.document_fields[number]
  root = state
  if field and state then root = state[field] end
  return environments[number]
end

local words = {}

function words.raise(name) document("raise", here, name) end
function words.send(message) document("send", here, message, host.where()) end
function words.new_id() return document("id", here) end
function words.cancel(id) document("cancel", here, id) end

function words.log(label, value)
  local text = type(value) == "table" and document("text", here, value) or tostring(value)
  if label and value ~= nil then text = label .. ": " .. text elseif label then text = label end
  LIBRARY.print(text)
end

-- Returns true if there is such a variable, declared or not.
local function is_there(name)
  if declared[here][name] then return true end
  local is_field, value = field_of(root, name)
  return is_field and value ~= nil
end

-- Checks that a variable can be assigned.
function words.write(name, creates)
  if SYSTEM[name] then error(format("%s cannot be changed", name), 2) end
  if not creates and not is_there(name) then
    error(absent(name, declared[here]), 2)
  end
end

function words.set(_, name, value)
  if type(value) == "function" then error(format("%s: a variable cannot hold a function", name), 2) end
  root[name] = plain(value)
end

local function raise_error(message)
  document("error", here, message)
end

function words.holds(condition)
  local is_fine, value = host.protect(condition)
  if not is_fine then
    raise_error(tostring(value))
    return false
  end
  return value and true or false
end

function words.each(array)
  if type(array) ~= "table" then error(format("foreach goes over a list, not a %s", type(array)), 2) end
  local copy = {}
  for place, item in ipairs(array) do copy[place] = item end
  return ipairs(copy)
end

function words.illegal(reason) error(reason, 2) end

-- Adds a parameter to a message; values with the same name become a list. `repeated` has those names for `repeating`.
local repeating, repeated

function words.add(message, name, value)
  if repeating ~= message then repeating, repeated = message, {} end
  if message.data == nil then message.data = {} end
  local data = message.data
  if repeated[name] then
    data[name][#data[name] + 1] = value
  elseif data[name] ~= nil then
    repeated[name], data[name] = true, { data[name], value }
  else
    data[name] = value
  end
end

function words.param(message, name, value)
  local is_fine, found = host.protect(value)
  if not is_fine then return raise_error(tostring(found)) end
  if name == true then message.data = found else words.add(message, name, found) end
end

function words.script(body) body() end

function words.plain(value) return plain(value) end

-- Returns true for values that are true in ECMAScript.
local function truthy(value)
  return value ~= nil and value ~= false and value ~= 0 and value ~= "" and rawequal(value, value)
    and value == value
end

words.truthy = truthy
function words.both(value, other) if truthy(value) then return other() end return value end
function words.either(value, other) if truthy(value) then return value end return other() end

function words.pick(condition, first, second) if condition then return first() end return second() end

-- Returns the index in Lua of an index of an array.
function words.place(key)
  local place = math_type(key) and to_integer(key)
  return place and place + 1 or key
end

function words.length(value)
  if type(value) == "string" then
    -- In units of UTF-16.
    return (length_of(value) or #value) + select(2, gsub(value, "[\xf0-\xf7]", ""))
  end
  if type(value) ~= "table" then return value["length"] end
  local field = value["length"]
  if field == nil and is_array(value) then return #value end
  return field
end

function words.has(key, value)
  if type(value) ~= "table" then error(format("in needs an object, not a %s", type(value)), 2) end
  if rawequal(value, event) then return EVENT_FIELDS[key] or false end
  return value[words.place(key)] ~= nil
end

local KINDS = { ["nil"] = "undefined", table = "object" }

function words.kind(value) return KINDS[type(value)] or type(value) end

function words.named(name)
  local is_there, value = host.protect(function() return environments[here][name] end)
  if is_there then return value end
end

words.is_array, words.list, words.map = is_array, LIBRARY.list, LIBRARY.map

-- ECMAScript's operators and functions.
for name, word in pairs(host.ecmascript) do words[name] = word end
for _, name in ipairs({ "is_array", "list", "map", "place", "truthy" }) do host.ecmascript[name] = words[name] end

local ORDER = {
  "raise", "send", "new_id", "cancel", "log", "write", "holds", "each", "illegal", "param", "set", "script", "add",
  "truthy", "both", "either", "plus", "plain", "pick", "place", "length", "has", "kind", "named", "is_array",
  "list", "map", "equals", "less", "at_most", "minus", "times", "over", "modulo", "negate", "number", "get", "call",
  "change", "invoke",
}

-- Called at the start of a chunk.
host.set_global("scxml", function()
  local all = {}
  for place, name in ipairs(ORDER) do all[place] = words[name] end
  return enter, function(functions, scripts)
    -- Scripts run once to define their functions; there are no variables yet.
    for _, place in ipairs(scripts) do host.protect(functions[place], nil, nil) end
  end, table.unpack(all)
end)

-- (document, the field that holds its variables or nil, the names of its variables, the names of variables that scripts
-- create): called before the document's chunk runs.
host.document_fields = {}
function host.declare_document(number, field, names, made)
  host.set_equality(is_equal)
  host.document_fields[number] = field
  declared[number], created[number], functions[number] = {}, {}, {}
  for _, name in ipairs(names) do declared[number][name] = true end
  for _, name in ipairs(made) do created[number][name] = true end
  environments[number] = environment(number)
end

-- Sets if the running session has not had an event yet.
function host.document_quiet(quiet) is_quiet = quiet end

-- Starts a session: creates the table of its variables.
function host.begin_document(number)
  local field = host.document_fields[number]
  if field then host.root()[field] = host.set_mark({}, "map") end
end

function host.set_document_value(number, name, value)
  local field = host.document_fields[number]
  local variables = field and host.root()[field] or host.root()
  variables[name] = value
end

-- Returns true if a variable has no value yet.
function host.bind_document_value(number, name)
  local field = host.document_fields[number]
  return (field and host.root()[field] or host.root())[name] == nil
end

function host.end_document(number)
  local field = host.document_fields[number]
  if field then host.root()[field] = nil end
end

-- While a flow is checked, its functions are recorded; later the chunk runs like any other.
local language = host.language
if language and language.add_checks then
  local noted = {}
  language.add_checks("machine", {
    named = function(_, all)
      for _, f in ipairs(all) do noted[#noted + 1] = language.function_entry(f) end
    end,
  })
  local describe = host.describe
  function host.describe()
    local described = describe()
    described.document = language.list(noted)
    return described
  end
end
