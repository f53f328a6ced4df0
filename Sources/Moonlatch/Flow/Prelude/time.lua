-- What effects may do: wait, schedule, dispatch. Time and chance for everybody.

local host = host
local error, setmetatable, tostring, type = error, setmetatable, tostring, type
local format = string.format

local WHO = host.language.who

-- Where the script stands, as it begins a message; nothing for what is typed at a prompt.
local function place()
  local file, line = host.where()
  return file and format("%s:%d: ", file, line) or ""
end

local function only_effects(what)
  local phase = host.phase()
  if phase ~= "effect" then
    error(format("%s%s cannot %s; only an effect can", place(), WHO[phase], what), 0)
  end
end

local function seconds(value, what)
  if type(value) ~= "number" or value ~= value or value < 0 or value == math.huge then
    error(format("%s%s takes seconds from 0 on, not %s", place(), what, tostring(value)), 0)
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
    error(format("%s%s cannot ask may; effects, scenarios and the host can", place(), WHO[phase]), 0)
  end
  return host.may(tostring(name), payload == nil and {} or payload)
end

-- Time and chance --------------------------------------------------------------------------------

local function now()
  local phase = host.phase()
  if phase == "view" or phase == "invariant" or phase == "loading" then
    error(format("%s%s has no clock; let the action store now() in the state", place(), WHO[phase]), 0)
  end
  return host.now()
end

local function random(low, high)
  local phase = host.phase()
  if phase ~= "reducer" and phase ~= "effect" then
    error(format("%s%s has no random(); reducers and effects have", place(), WHO[phase]), 0)
  end
  if low == nil then return host.random() end
  if high == nil then low, high = 1, low end
  low, high = math.tointeger(low), math.tointeger(high)
  if not low or not high then error("random takes integers", 2) end
  if low > high then error("random: the interval is empty", 2) end
  return host.random(low, high)
end

math.random = random

local set_global = host.set_global
set_global("sleep", sleep)
set_global("after", after)
set_global("cancel", cancel)
set_global("dispatch", named_calls(enqueue))
set_global("may", named_calls(may))
set_global("now", now)
set_global("random", random)
