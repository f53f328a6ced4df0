-- What an input at the prompt can say: actions by their names, the state as `s`, views, and Lua.

local host = host
local concat, format, match = table.concat, string.format, string.match
local error, ipairs, next, pairs, rawequal, select, setmetatable, type =
  error, ipairs, next, pairs, rawequal, select, setmetatable, type

local offers, offered = {}, {}  -- name -> function, and back

local function dispatch(name, payload, is_inside)
  host.session_dispatch(name, payload == nil and {} or payload, is_inside)
end

local function dispatcher(name)
  local made = offers[name]
  if made then return made end
  made = function(payload) dispatch(name, payload, false) end
  offers[name], offered[made] = made, name
  return made
end

function host.session_limit(name, value) host.inspect_limit(name, value) end

local inspect = host.inspect
function host.session_inspect(value) return inspect(value) end

-- A capability that nobody answers for is told to the session, which knows then what to stub.
host.expects_stubs = true

-- Evaluating -------------------------------------------------------------------------------------

local words = {
  pass = setmetatable({}, { __index = function(_, name) return dispatcher(name) end }),
  inside = setmetatable({}, { __index = function(_, name)
    return function(payload) dispatch(name, payload, true) end
  end }),
  dispatch = setmetatable({}, {
    __index = function(_, name) return dispatcher(name) end,
    __call = function(_, name, payload) return dispatcher(name)(payload) end,
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
  if host.session_action(name) then return dispatcher(name) end
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
  for index = 1, select("#", ...) do texts[index] = inspect((select(index, ...))) end
  return "done", concat(texts, "\t")
end

-- `above` is line ends only: it gives the text the line numbers of the whole input.
local function compile(text, input, above)
  local chunk, as_value = host.compile(above .. "return " .. text, input, environment)
  if chunk then return chunk end
  local message
  chunk, message = host.compile(above .. text, input, environment)
  if chunk then return chunk end
  -- An expression that ends too soon is no statement either, but for another reason.
  return nil, match(as_value, "<eof>$") and as_value or message
end

-- An action with the name of a function of Lua, or of the state, is played where it is given a table or nothing.
local function played(text)
  local space, name, rest = match(text, "^(%s*)([%a_][%w_]*)(%s*[{(].*)$")
  if name and (match(rest, "^%s*%(?%s*{") or match(rest, "^%s*%(%s*%)")) and host.session_is_shadowed(name)
    and host.session_action(name) then
    return space .. "dispatch." .. name .. rest
  end
  return text
end

function host.session_evaluate(text, input, above)
  text = played(text)
  local chunk, message = compile(text, input, above)
  if not chunk then
    if match(message, "<eof>$") then return "incomplete" end
    return "syntax", message
  end
  return results(chunk())
end

-- Whether a text, or an expression, is "whole", "incomplete" or "wrong".
function host.session_reading(text, is_expression)
  if not is_expression then text = played(text) end
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
  return inspect((chunk()))
end

-- Answers for a capability: a function is called, anything else is the answer.
function host.session_stub(name, text, input)
  local chunk, message = host.compile("return " .. text, input, environment)
  if not chunk then error(message, 0) end
  local answer = chunk()
  local is_function = type(answer) == "function"
  host.stubs[name] = host.remembering(name, is_function and answer or function() return answer end)
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
    if type(key) == "string" and match(key, "^[%a_][%w_]*$") then
      found[#found + 1] = { name = key, kind = type(element) }
    end
  end
  return found, key ~= nil
end
