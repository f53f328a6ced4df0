-- effect, and what effects may do: wait, schedule, dispatch. Time and chance for everybody.

local host = host
local language = host.language
local fault, list, note = language.fault, language.list, language.note
local error, ipairs, pairs, setmetatable, tostring, type =
  error, ipairs, pairs, setmetatable, tostring, type
local format = string.format

-- Declaring --------------------------------------------------------------------------------------

local function add(name, entry)
  note("effect", name, entry)
end

local function from_function(f)
  local entry = language.function_entry(f)
  entry.call = nil
  return entry
end

local function long_form(name, definition, complain)
  if type(definition) ~= "table" or type(definition.run) ~= "function" then
    return fault(complain)
  end
  for key in pairs(definition) do
    if key ~= "run" and key ~= "on_error" then
      fault(format("effect %s says %s; it takes run and on_error", tostring(name), tostring(key)))
    end
  end
  local entry = from_function(definition.run)
  if definition.on_error ~= nil then
    if type(definition.on_error) == "string" then entry.on_error = definition.on_error
    else fault(format("effect %s: on_error is the name of an action", tostring(name))) end
  end
  return entry
end

local function declare_effect(name, definition)
  language.must_be_loading(language.dotted("effect", name))
  if not language.named("effect", name) then return end
  local complain = format("%s takes a function of (self, a), or a table with run and on_error",
    language.dotted("effect", name))
  local entry
  if type(definition) == "function" then entry = from_function(definition)
  else entry = long_form(name, definition, complain) end
  if entry then add(name, entry) end
end

local effect = setmetatable({}, {
  __index = function(_, name)
    return function(definition) return declare_effect(name, definition) end
  end,
  __newindex = function(_, name, definition) return declare_effect(name, definition) end,
  __call = function(_, name, actions, definition)
    language.must_be_loading("effect")
    if not language.named("effect", name) then return end
    local complain = format("effect %s needs a function: effect(%q, \"*\", function(self, a, "
      .. "transition) ... end)", name, name)
    local entry
    if type(definition) == "function" then entry = from_function(definition)
    else entry = long_form(name, definition, complain) end
    if not entry then return end
    entry.named = true
    if actions == "*" then
      entry.every = true
    elseif type(actions) == "string" then
      entry.actions = list { actions }
    elseif type(actions) == "table" then
      local names = {}
      for _, action in ipairs(actions) do names[#names + 1] = tostring(action) end
      entry.actions = list(names)
    else
      fault(format("effect %s says after which actions it runs: a list of names, or \"*\"", name))
    end
    add(name, entry)
  end,
  __metatable = false,
})

host.describers.effects = function() return language.entries("effect") end

-- Who may do what --------------------------------------------------------------------------------

local WHO = language.who

local function only_effects(what)
  local phase = host.phase()
  if phase ~= "effect" then
    local file, line = host.where()
    error(format("%s:%d: %s cannot %s; only an effect can", file or "?", line or 0, WHO[phase],
      what), 0)
  end
end

local function seconds(value, what)
  if type(value) ~= "number" or value ~= value or value < 0 or value == math.huge then
    local file, line = host.where()
    error(format("%s:%d: %s takes seconds from 0 on, not %s", file or "?", line or 0, what,
      tostring(value)), 0)
  end
  return value
end

local function sleep(duration)
  only_effects("sleep")
  host.wait("sleep", seconds(duration, "sleep"))
end

local function after(duration, name, payload)
  only_effects("schedule an action")
  host.schedule(seconds(duration, "after"), tostring(name), payload == nil and {} or payload)
end

local function cancel(name)
  only_effects("cancel timers")
  return host.cancel(tostring(name))
end

local function enqueue(name, payload)
  only_effects("dispatch")
  host.enqueue(tostring(name), payload == nil and {} or payload)
end

local function named_calls(call)
  return setmetatable({}, {
    __index = function(_, name) return function(payload) return call(name, payload) end end,
    __call = function(_, name, payload) return call(name, payload) end,
    __newindex = function() error("this cannot be changed", 0) end,
    __metatable = false,
  })
end

local function may(name, payload)
  local phase = host.phase()
  if phase ~= "effect" and phase ~= "script" then
    local file, line = host.where()
    error(format("%s:%d: %s cannot ask may; effects, scenarios and the host can", file or "?",
      line or 0, WHO[phase]), 0)
  end
  return host.may(tostring(name), payload == nil and {} or payload)
end

-- Time and chance --------------------------------------------------------------------------------

local function now()
  local phase = host.phase()
  if phase == "view" or phase == "invariant" or phase == "loading" then
    local file, line = host.where()
    error(format("%s:%d: %s has no clock; let the action store now() in the state", file or "?",
      line or 0, WHO[phase]), 0)
  end
  return host.now()
end

local function random(low, high)
  local phase = host.phase()
  if phase ~= "reducer" and phase ~= "effect" then
    local file, line = host.where()
    error(format("%s:%d: %s has no random(); reducers and effects have", file or "?", line or 0,
      WHO[phase]), 0)
  end
  if low == nil then return host.random() end
  if high == nil then low, high = 1, low end
  low, high = math.tointeger(low), math.tointeger(high)
  if not low or not high then error("random takes integers", 2) end
  if low > high then error("random: the interval is empty", 2) end
  return host.random(low, high)
end

math.random = random

for name, value in pairs({
  effect = effect, sleep = sleep, after = after, cancel = cancel, dispatch = named_calls(enqueue),
  may = named_calls(may), now = now, random = random,
}) do
  host.set_global(name, value)
end
