-- What an input at the prompt can say: actions by their names, the state as `s`, views, and Lua.

local host = host
local concat, format, match, rep, sub = table.concat, string.format, string.match, string.rep, string.sub
local error, ipairs, math_type, next, pairs, rawequal, select, setmetatable, tonumber, tostring, type =
  error, ipairs, math.type, next, pairs, rawequal, select, setmetatable, tonumber, tostring, type

local offers, offered = {}, {}  -- name -> function, and back

local function dispatch(name, payload, is_inside)
  host.session_dispatch(name, payload == nil and {} or payload, is_inside)
end

local function offer(name)
  local made = offers[name]
  if made then return made end
  made = function(payload) dispatch(name, payload, false) end
  offers[name], offered[made] = made, name
  return made
end

-- Printing ---------------------------------------------------------------------------------------

-- How deep, how many entries of a table, how long a string, how wide a line.
local limits = { depth = 6, items = 40, text = 2000, width = 90 }

function host.session_limit(name, value) limits[name] = value end

local function is_name(text)
  return match(text, "^[%a_][%w_]*$") ~= nil
end

local function number_text(value)
  if math_type(value) == "integer" then
    return value == math.mininteger and "math.mininteger" or tostring(value)
  end
  if value ~= value then return "0/0" end
  if value == math.huge then return "math.huge" end
  if value == -math.huge then return "-math.huge" end
  local text = tostring(value)
  return tonumber(text) == value and text or format("%.17g", value)
end

local function string_text(value)
  local rest = #value - limits.text
  if rest > 0 then
    local last = limits.text
    while last > 0 and match(value, "^[\128-\191]", last + 1) do last = last - 1 end
    rest, value = #value - last, sub(value, 1, last)
  end
  local quoted = format("%q", value):gsub("\\\n", "\\n")
  return rest > 0 and format("%s --[[ and %d more bytes ]]", quoted, rest) or quoted
end

local function function_text(value)
  local readable, file, line = host.protect(host.where_defined, value)
  if readable and file and line and line > 0 then
    return format("nil --[[ function, %s:%d ]]", tostring(file), line)
  end
  return "nil --[[ function ]]"
end

local inspect

local function add_entry(parts, key, element, depth, length)
  local text = inspect(element, depth + 1)
  if math_type(key) == "integer" and key >= 1 and key <= length then
    parts[#parts + 1] = text
  elseif type(key) == "string" and is_name(key) then
    parts[#parts + 1] = key .. " = " .. text
  else
    parts[#parts + 1] = "[" .. inspect(key, depth + 1) .. "] = " .. text
  end
end

-- A list of the state is read by index: the cost is that of what is shown.
local function list_parts(value, depth, length)
  local parts = {}
  for index = 1, length < limits.items and length or limits.items do
    parts[index] = inspect(value[index], depth + 1)
  end
  if length > limits.items then
    parts[#parts + 1] = format("--[[ and %d more ]]", length - limits.items)
  end
  return parts
end

local function inspect_table(value, depth)
  if depth > limits.depth then return "{ --[[ deeper ]] }" end
  local parts, length = {}, #value
  if length > 0 and host.kind(value) == "node" then
    parts = list_parts(value, depth, length)
  else
    local readable, iterator, subject, first = host.protect(pairs, value)
    if not readable then return "{ --[[ keys that have no order ]] }" end
    local count = 0
    for key, element in iterator, subject, first do
      count = count + 1
      if count > limits.items then
        parts[#parts + 1] = length >= count and format("--[[ and %d more ]]", length - count + 1)
          or "--[[ and more ]]"
        break
      end
      add_entry(parts, key, element, depth, length)
    end
  end
  if #parts == 0 then return "{}" end
  local line = "{ " .. concat(parts, ", ") .. " }"
  if #line + depth * 2 <= limits.width and not match(line, "\n") then return line end
  local indent = rep("  ", depth)
  return "{\n" .. indent .. concat(parts, ",\n" .. indent) .. ",\n" .. rep("  ", depth - 1) .. "}"
end

inspect = function(value, depth)
  if rawequal(value, host.none) then return "none" end
  local kind = type(value)
  if kind == "string" then return string_text(value) end
  if kind == "number" then return number_text(value) end
  if kind == "table" then return inspect_table(value, depth) end
  if kind == "function" then return function_text(value) end
  if kind == "nil" or kind == "boolean" then return tostring(value) end
  return format("nil --[[ %s ]]", kind)
end

function host.session_inspect(value) return inspect(value, 1) end

-- A capability that nobody answers for is told to the session, which knows then what to stub.
host.expects_stubs = true

-- Evaluating -------------------------------------------------------------------------------------

local words = {
  pass = setmetatable({}, { __index = function(_, name) return offer(name) end }),
  inside = setmetatable({}, { __index = function(_, name)
    return function(payload) dispatch(name, payload, true) end
  end }),
  dispatch = setmetatable({}, {
    __index = function(_, name) return offer(name) end,
    __call = function(_, name, payload) return offer(name)(payload) end,
  }),
  may = host.global("may"), gatekeeper = host.global("gatekeeper"), now = host.global("now"),
  sleep = host.global("sleep"), in_state = host.global("in_state"),
  count_in = host.global("count_in"), all_in = host.global("all_in"), born = host.global("born"),
}

local environment, names

-- The names that a mistyped one may stand for: actions too, as far as they are names to Lua.
local function meant()
  local known = host.session_names()
  for name in next, names do known[name] = true end
  return known
end

environment, names = host.new_environment(words, function(name)
  if name == "s" then return host.root() end
  if type(name) ~= "string" then return nil end
  if host.session_action(name) then return offer(name) end
  local command = host.session_command(name)
  if command then error(format("global %s is not defined; there is the command :%s", name, command), 0) end
end, meant)

-- Whether a name leads to something else than the action that it is.
function host.session_is_shadowed(name)
  local there, found = host.protect(function() return names[name] end)
  return there and found ~= nil and offered[found] == nil
end

local function results(...)
  if select("#", ...) == 0 then return "done" end
  local name = select("#", ...) == 1 and offered[(...)]
  if name then return "done", format("%s is an action: %s", name, host.session_call(name)) end
  names._ = (...)
  local texts = {}
  for index = 1, select("#", ...) do texts[index] = inspect((select(index, ...)), 1) end
  return "done", concat(texts, "\t")
end

-- `above` is line ends only: it gives the text the line numbers of the whole input.
local function compile(text, input, above)
  local chunk = host.compile(above .. "return " .. text, input, environment)
  if chunk then return chunk end
  return host.compile(above .. text, input, environment)
end

function host.session_evaluate(text, input, above)
  local chunk, message = compile(text, input, above)
  if not chunk then
    if match(message, "<eof>$") then return "incomplete" end
    return "syntax", message
  end
  return results(chunk())
end

-- Whether a text, or an expression, is "whole", "incomplete" or "wrong".
function host.session_reading(text, is_expression)
  local chunk, message
  if is_expression then chunk, message = host.compile("return " .. text, "input", environment)
  else chunk, message = compile(text, "input", "") end
  if chunk then return "whole" end
  return match(message, "<eof>$") and "incomplete" or "wrong"
end

-- Whether a text is a whole chunk by itself: to find where a declaration ends.
function host.session_compiles(text)
  return (host.compile(text, "source", environment)) ~= nil
end

-- What an expression comes to, as a plain value.
function host.session_value(text, input)
  local chunk, message = host.compile("return " .. text, input, environment)
  if not chunk then error(message, 0) end
  return (chunk())
end

-- The same, shown.
function host.session_show(text, input)
  local chunk, message = host.compile("return " .. text, input, environment)
  if not chunk then error(message, 0) end
  return inspect((chunk()), 1)
end

-- Answers for a capability: a function is called, anything else is the answer.
function host.session_stub(name, text, input)
  local chunk, message = host.compile("return " .. text, input, environment)
  if not chunk then error(message, 0) end
  local answer = chunk()
  local is_function = type(answer) == "function"
  host.stubs[name] = is_function and answer or function() return answer end
  return is_function
end

-- Completing -------------------------------------------------------------------------------------

-- No metamethod of a script is called here: tables are read raw, and the state's nodes have none.
local MOST = 500

local function raw(value, key)
  if host.kind(value) == "node" then
    local readable, element = host.protect(function() return value[key] end)
    return readable and element or nil
  end
  if host.kind(value) ~= "plain" then return nil end
  for name, element in next, value do
    if rawequal(name, key) or name == key then return element end
  end
end

-- The names in what a path of keys leads to, each with what stands there; whether there are more.
function host.session_members(root, path)
  local value
  if root == "s" then value = host.root() else value = names end
  for _, key in ipairs(path) do
    if type(value) ~= "table" then return {} end
    value = raw(value, key)
  end
  local found = host.set_mark({}, "list")
  local kind = type(value) == "table" and host.kind(value)
  if not kind or kind == "recorder" or kind == "node" and #value > 0 then return found end
  local iterator, subject, key, element = next, value, nil, nil
  -- `next` on a node looks its key up among all of them, `pairs` does so once.
  if kind == "node" then iterator, subject, key = pairs(value) end
  for _ = 1, MOST do
    key, element = iterator(subject, key)
    if key == nil then break end
    if type(key) == "string" and is_name(key) then
      found[#found + 1] = { name = key, kind = type(element) }
    end
  end
  return found, key ~= nil
end
