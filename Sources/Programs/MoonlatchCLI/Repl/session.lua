-- Evaluates inputs of the prompt: actions by their names, the state as `s`, views, and Lua.

local host = host
local concat, format, match = table.concat, string.format, string.match
local error, ipairs, next, pairs, rawequal, select, setmetatable, tostring, type =
  error, ipairs, next, pairs, rawequal, select, setmetatable, tostring, type

local dispatchers, dispatched = {}, {}  -- name -> function, and function -> name

local function dispatch(name, payload, is_inside)
  host.session_dispatch(name, payload == nil and {} or payload, is_inside)
end

local function dispatcher(name)
  local made = dispatchers[name]
  if made then return made end
  made = function(payload) dispatch(name, payload, false) end
  dispatchers[name], dispatched[made] = made, name
  return made
end

function host.session_limit(name, value) host.inspect_limit(name, value) end

local inspect = host.inspect
function host.session_inspect(value) return inspect(value) end

-- A call of a capability without a stub is reported to the session, which then names the stub to write.
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

-- What is given before the first action, in the words of scenarios.
local GIVEN = {
  gatekeeper = setmetatable({}, { __index = function(_, name)
    return function(options) host.session_give("gatekeeper", name, options) end
  end }),
  random = function(draws) host.session_give("random", draws) end,
  born = function(time) host.session_give("born", time) end,
}

words.given = setmetatable({}, {
  __call = function(_, part) host.session_give("state", part) end,
  __index = function(_, name)
    if GIVEN[name] then return GIVEN[name] end
    error(format("there is no given.%s%s", host.printable(tostring(name)), host.nearest(tostring(name), GIVEN)), 0)
  end,
})

local environment, names

-- Returns the names that may be suggested for a mistyped one, those of actions included.
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

-- Returns true if the name of an action stands for something else at the prompt.
function host.session_is_shadowed(name)
  local there, found = host.protect(function() return names[name] end)
  return there and found ~= nil and dispatched[found] == nil
end

local function results(...)
  if select("#", ...) == 0 then return "done" end
  local name = select("#", ...) == 1 and dispatched[(...)]
  if name then return "done", format("%s is an action: %s", name, host.session_call(name)) end
  names._ = (...)
  local texts = {}
  for index = 1, select("#", ...) do texts[index] = inspect((select(index, ...))) end
  return "done", concat(texts, "\t")
end

-- Compiles a part of an input. `above` has only line ends, so that the part has the line numbers of the whole input.
local function compile(text, input, above)
  local chunk, as_value = host.compile(above .. "return " .. text, input, environment)
  if chunk then return chunk end
  local message
  chunk, message = host.compile(above .. text, input, environment)
  if chunk then return chunk end
  -- An incomplete expression is not a statement either, but the message of the expression says that it is incomplete.
  return nil, match(as_value, "<eof>$") and as_value or message
end

-- Dispatches an action with the name of a function of Lua, or of the state, if it is called with a table or nothing.
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

-- Returns "whole", "incomplete" or "wrong" for a text or an expression.
function host.session_reading(text, is_expression)
  if not is_expression then text = played(text) end
  local chunk, message
  if is_expression then chunk, message = host.compile("return " .. text, "input", environment)
  else chunk, message = compile(text, "input", "") end
  if chunk then return "whole" end
  return match(message, "<eof>$") and "incomplete" or "wrong"
end

-- Returns true if a text is a complete chunk; used to find the end of a declaration.
function host.session_compiles(text)
  return (host.compile(text, "source", environment)) ~= nil
end

-- Returns the value of an expression, as plain data.
function host.session_value(text, input)
  local chunk, message = host.compile("return " .. text, input, environment)
  if not chunk then error(message, 0) end
  return (chunk())
end

-- Returns the value of an expression as text.
function host.session_show(text, input)
  local chunk, message = host.compile("return " .. text, input, environment)
  if not chunk then error(message, 0) end
  return inspect((chunk()))
end

-- Stubs a capability: a function is called, any other value is the result.
function host.session_stub(name, text, input)
  local chunk, message = host.compile("return " .. text, input, environment)
  if not chunk then error(message, 0) end
  local answer = chunk()
  local is_function = type(answer) == "function"
  host.stubs[name] = host.remembering(name, is_function and answer or function() return answer end)
  return is_function
end

-- Completing -------------------------------------------------------------------------------------

-- Metamethods of scripts are not called: tables are read raw, and the nodes of the state have no metamethods.
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

-- Returns the names in the table at a path of keys, each with the type of its value; and true if there are more.
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
  -- `next` on a node searches all keys each time; `pairs` does so only once.
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
