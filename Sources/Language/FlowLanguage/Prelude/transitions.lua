-- Reads the transitions and timers in the table of a machine (machines.lua).

local language = host.language
local fault, below, list = language.policy_fault, language.below, language.list
local function_entry = language.function_entry
local ipairs, pairs, tostring, type = ipairs, pairs, tostring, type
local format = string.format

-- Transitions ------------------------------------------------------------------------------------

local TRANSITION = { to = true, when = true, reduce = true, reenter = true, history = true, refuse = true,
  restart_timer = true }
local STAYING = { when = true, reduce = true, reenter = true, history = true, restart_timer = true }

-- Returns true if a table in a state is a transition or a list of transitions; otherwise it is a state inside.
local function is_transition(value)
  if value.to ~= nil or value.refuse ~= nil or value[1] ~= nil then return true end
  if value.restart_timer ~= nil then return true end
  local says = false
  for key in pairs(value) do
    if not STAYING[key] then return false end
    says = true
  end
  if type(value.when) == "function" or type(value.reduce) == "function" then return true end
  return says and value.when == nil and value.reduce == nil
    and (value.reenter == true or value.history == true)
end

local function a_function(title, word, value, parameters)
  if value == nil then return nil end
  if type(value) == "function" then return function_entry(value) end
  below(word, fault, format("%s: %s must be a function of %s", title, word, parameters))
end

-- Returns the paths of the targets of a transition.
local function read_targets(title, value)
  if type(value) == "string" then return list { value } end
  local targets = {}
  if type(value) == "table" then
    for index, each in ipairs(value) do
      if type(each) == "string" then targets[index] = each
      else return fault(format("%s: to must be the name of a state", title)) end
    end
  end
  if #targets > 0 then return list(targets) end
  fault(format("%s: to must be the name of a state", title))
end

local function read_history(title, value)
  if value == true then return "shallow" end
  if value == "deep" then return "deep" end
  if value then
    below("history", fault, format("%s: history must be true or \"deep\", not %s", title, tostring(value)))
  end
end

local function read_refusal(transition, title, value)
  transition.forbids = true
  if type(value.refuse) == "string" then transition.refusal = value.refuse
  else below("refuse", fault, format("%s: refuse must be the reason, a string", title)) end
  for _, word in ipairs({ "to", "reduce", "reenter", "history", "restart_timer" }) do
    if value[word] ~= nil then
      below(word, fault, format("%s refuses, so it cannot have %s", title, word))
    end
  end
end

-- Returns the actions in a string or a list of strings; nil for anything else.
local function read_actions(value)
  local actions = {}
  for index, action in ipairs(type(value) == "table" and value or { value }) do
    if type(action) ~= "string" then return nil end
    actions[index] = action
  end
  if #actions > 0 and (type(value) == "string" or #actions == #value) then return list(actions) end
end

-- Returns the timers that a transition restarts: true for all timers of its state.
local function read_restarts(title, value)
  if value == nil or value == true then return value end
  local actions = read_actions(value)
  if actions then return actions end
  below("restart_timer", fault,
    format("%s: restart_timer must be the action of a timer of this state, a list of such actions, or true for all timers", title))
end

-- Returns a transition; nil if it has no valid target.
local function read_transition(title, value)
  if type(value) == "string" then return { to = list { value } } end
  if type(value) == "boolean" then return { forbids = not value } end
  for key in pairs(value) do
    if not TRANSITION[key] then
      below(key, fault, format("%s: unknown key %s; a transition takes to, when, reduce, reenter, history, restart_timer, refuse", title,
        tostring(key)))
    end
  end
  local transition = { reenters = value.reenter == true }
  if value.to ~= nil then
    transition.to = below("to", read_targets, title, value.to)
    if not transition.to then return nil end
  end
  transition.guard = a_function(title, "when", value.when, "(s, a)")
  transition.reduce = a_function(title, "reduce", value.reduce, "(s, a)")
  transition.history = read_history(title, value.history)
  transition.restarts = read_restarts(title, value.restart_timer)
  if value.refuse ~= nil then
    read_refusal(transition, title, value)
  elseif value.to == nil then
    if value.when == nil and value.reduce == nil and value.restart_timer == nil then
      fault(format("%s has only %s; add to, the state that it leads to", title,
        value.history and "history" or "reenter"))
    elseif value.history then
      below("history", fault, format("%s: history needs to, the state that is entered", title))
    end
  end
  return transition
end

-- Returns the transitions of one action in one state, in the order in which they are tried; nil if the value is none.
local function read_transitions(title, value)
  local kind = type(value)
  if kind == "string" or kind == "boolean" then return list { read_transition(title, value) } end
  if kind ~= "table" or not is_transition(value) then
    fault(format("%s takes a state's name, a table with to, or a list of such tables", title))
    return nil
  end
  if value.to ~= nil or value.refuse ~= nil or value[1] == nil then
    return list { read_transition(title, value) }
  end
  local transitions = {}
  for index, each in ipairs(value) do
    local is_table = type(each) == "table" and each[1] == nil and is_transition(each)
    if type(each) == "string" or type(each) == "boolean" or is_table then
      transitions[#transitions + 1] = below(index, read_transition, title, each)
    else
      below(index, fault, format("%s[%d] takes a state's name or a table with to", title, index))
    end
  end
  return list(transitions)
end

-- Returns transitions that are taken without an action, which therefore cannot refuse.
local function read_moves(title, value)
  local transitions = read_transitions(title, value)
  for index, transition in ipairs(transitions or {}) do
    if transition.forbids ~= nil then
      below(index, fault, format("%s needs a target: a state's name, or a table with to",
        title))
    end
  end
  return transitions
end

-- Timers -----------------------------------------------------------------------------------------

local function read_delay(timer, title, delay, least)
  if type(delay) == "function" then
    timer.work_out = function_entry(delay)
    return timer
  end
  local seconds, taken = host.seconds(delay)
  if type(delay) == "string" and taken then
    fault(format("%s takes %s, or a function of s, not %q", title, taken, delay))
  elseif taken then
    fault(format("%s takes seconds, a string like \"1h30m\", or a function of s", title))
  elseif least and seconds == 0 then
    fault(format("%s takes more than 0 seconds", title))
  else
    timer.seconds = seconds
  end
  return timer
end

local function read_timed_transition(title, value, repeats)
  if type(value) ~= "table" or value[2] == nil then
    fault(format("%s takes a delay and a transition: { 20, \"state\" }", title))
    return nil
  end
  local timer = below(1, read_delay, { repeats = repeats }, title, value[1], repeats)
  timer.transitions = below(2, read_moves, title, value[2])
  return timer
end

local function read_timers(read, title, word, value)
  if type(value) ~= "table" then
    return fault(format("%s takes a table: %s = { ACTION = seconds }", title, word))
  end
  local repeats = word == "every"
  for key, delay in pairs(value) do
    local timer
    if math.type(key) == "integer" then
      timer = below(key, read_timed_transition, format("%s[%d]", title, key), delay, repeats)
      if timer then timer.position = key end
    else
      local each = format("%s.%s", title, tostring(key))
      timer = below(key, read_delay, { repeats = repeats, action = tostring(key) }, each, delay,
        repeats)
    end
    read.timers[#read.timers + 1] = timer
  end
end

-- For machines.lua.
language.is_transition, language.read_transitions = is_transition, read_transitions
language.read_moves, language.read_timers = read_moves, read_timers
language.read_actions = read_actions
