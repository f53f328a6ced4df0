-- gatekeeper and machine: their tables are policies, read once while the flow loads.

local host = host
local language = host.language
local list, note, trail = language.list, language.note, language.trail
local ipairs, pairs, tostring, type = ipairs, pairs, tostring, type
local format = string.format

-- The declaration that is being read: what is wrong in its table is placed by the trail of keys.
local reading

local function fault(message) language.fault(message, reading) end

local function below(key, read, ...)
  trail[#trail + 1] = key
  local answer = read(...)
  trail[#trail] = nil
  return answer
end

-- Looks at what is declared under a name and notes what `read` makes of its table.
local function declared(kind, complaint, read)
  return function(name, definition)
    if not language.named(kind, name) then return end
    if type(definition) ~= "table" then return fault(format("%s %s %s", kind, name, complaint)) end
    reading = language.here()
    reading.word, reading.name = kind, name
    read(name, definition, reading)
    local entry = reading
    reading = nil
    note(kind, name, entry)
  end
end

-- gatekeeper -------------------------------------------------------------------------------------

local VERBS = { attempt = true, reset = true, unless = true }

-- What an entry says of one verb: options, all of them, or a function that works them out.
local function policy(value, title)
  if type(value) == "function" then return { options = list {}, work_out = language.function_entry(value) } end
  if value == "*" then return { options = list {}, all = true } end
  if type(value) == "string" then return { options = list { value } } end
  if type(value) == "table" then
    local options = {}
    for _, option in ipairs(value) do
      if type(option) ~= "string" then
        fault(format("%s: an option is named by a text, not %s", title, tostring(option)))
      else
        options[#options + 1] = option
      end
    end
    return { options = list(options) }
  end
  fault(format("%s takes an option, a list of options or a function", title))
  return { options = list {} }
end

local function read_verb(title, verb, value)
  if VERBS[verb] then return policy(value, title .. " " .. verb) end
  fault(format("%s says %s; it takes attempt, reset, unless", title, tostring(verb)))
end

local function read_entry(name, action, entry)
  local title = format("gatekeeper %s: %s", name, tostring(action))
  local read = { action = tostring(action) }
  if type(entry) == "table" then
    for verb, value in pairs(entry) do read[verb] = below(verb, read_verb, title, verb, value) end
  elseif VERBS[entry] then
    read[entry] = { options = list { "passage" } }
  elseif type(entry) == "string" then
    fault(format("%s says %q; it takes \"attempt\", \"reset\", \"unless\"", title, entry))
    return nil
  else
    fault(format("%s takes \"attempt\", \"reset\" or a table", title))
    return nil
  end
  return read
end

local function read_gatekeeper(name, entries, keeper)
  local described, texts, tables = {}, 0, 0
  for action, entry in pairs(entries) do
    if type(entry) == "string" then texts = texts + 1 end
    if type(entry) == "table" then tables = tables + 1 end
    described[#described + 1] = below(action, read_entry, name, action, entry)
  end
  if texts > 0 and tables > 0 then
    fault(format("gatekeeper %s mixes texts and tables: a yes/no keeper has only texts, a set of "
      .. "options only tables", name))
  end
  keeper.entries, keeper.yes_no = list(described), tables == 0
end

-- machine ----------------------------------------------------------------------------------------

local WORDS = { after = true, on_enter = true, on_exit = true, final = true }
local TARGET = { to = true, when = true, reenter = true }

local function read_target(title, value)
  if type(value) == "string" then return { to = value } end
  for key in pairs(value) do
    if not TARGET[key] then
      below(key, fault,
        format("%s says %s; a transition takes to, when, reenter", title, tostring(key)))
    end
  end
  local target = { to = value.to, reenter = value.reenter == true }
  if type(value.to) ~= "string" then
    below("to", fault, format("%s: to is the name of a state", title))
    target.to = nil
  end
  if value.when ~= nil then
    if type(value.when) == "function" then target.guard = language.function_entry(value.when)
    else below("when", fault, format("%s: when is a function of (s, a)", title)) end
  end
  return target
end

-- The targets of one action in one state, tried in order; nil for what is kept for nested states.
local function read_transition(title, value)
  if type(value) == "string" then return list { read_target(title, value) } end
  if type(value) ~= "table" then
    fault(format("%s takes a state's name, a table with to, or a list of such tables", title))
    return nil
  end
  if value.to ~= nil then return list { read_target(title, value) } end
  if value[1] == nil then
    fault(format("%s has no to; a state inside a state comes with a later version", title))
    return nil
  end
  local targets = {}
  for index, each in ipairs(value) do
    if type(each) == "string" or type(each) == "table" and each.to ~= nil then
      targets[#targets + 1] = below(index, read_target, title, each)
    else
      below(index, fault, format("%s[%d] takes a state's name or a table with to", title, index))
    end
  end
  return list(targets)
end

local function read_timer(title, action, delay)
  local timer = { action = tostring(action) }
  if type(delay) == "function" then
    timer.work_out = language.function_entry(delay)
    return timer
  end
  local taken
  timer.seconds, taken = host.seconds(delay)
  if type(delay) == "string" and taken then
    fault(format("%s.%s takes %s, or a function of s, not %q", title, tostring(action), taken, delay))
  elseif taken then
    fault(format("%s.%s takes seconds, or a function of s", title, tostring(action)))
  end
  return timer
end

local function read_after(title, value)
  local timers = {}
  if type(value) ~= "table" then
    fault(format("%s takes a table: after = { ACTION = seconds }", title))
    return list {}
  end
  for action, delay in pairs(value) do
    timers[#timers + 1] = below(action, read_timer, title, action, delay)
  end
  return list(timers)
end

-- Adds to `read` what a state says under one word.
local function read_word(read, title, word, value)
  if word == "after" then
    read.after = read_after(title .. ".after", value)
  elseif word == "on_enter" or word == "on_exit" then
    if type(value) == "function" then read[word] = language.function_entry(value)
    else fault(format("%s.%s is a function of (s, a)", title, word)) end
  elseif word == "final" then
    if type(value) ~= "boolean" then fault(title .. ".final is true or false") end
  elseif type(word) ~= "string" then
    fault(format("%s: an action is named by a text, not %s", title, tostring(word)))
  else
    local targets = read_transition(format("%s.%s", title, word), value)
    if targets then
      read.transitions[#read.transitions + 1] = { action = word, targets = targets }
    end
  end
end

local function read_state(name, title, state)
  local read = { name = name, transitions = {}, final = state.final == true }
  for word, value in pairs(state) do below(word, read_word, read, title, word, value) end
  read.transitions = list(read.transitions)
  return read
end

-- What a machine says under one key: a state, or where it begins.
local function read_key(name, key, value, machine)
  local title = format("machine %s: %s", name, tostring(key))
  if key == "initial" then
    if type(value) == "string" then machine.initial = value
    else fault(format("machine %s: initial is the name of a state", name)) end
  elseif type(key) ~= "string" then
    fault(format("machine %s: a state is named by a text, not %s", name, tostring(key)))
  elseif type(value) ~= "table" then
    fault(format("%s is a state and takes a table", title))
  elseif WORDS[key] then
    fault(format("%s is said inside a state", title))
  else
    return read_state(key, title, value)
  end
end

local function read_machine(name, definition, machine)
  local field = language.is_field(name)
  if field then
    fault(format("machine %s is named like the field state.%s (%s:%d); its state is s.%s", name,
      name, field.file, field.line, name))
  end
  local states = {}
  for key, value in pairs(definition) do
    states[#states + 1] = below(key, read_key, name, key, value, machine)
  end
  machine.states = list(states)
end

language.add_checks("gatekeeper", {
  named = declared("gatekeeper", "takes a table: which action attempts, which resets",
    read_gatekeeper),
  written = language.wrong("a gatekeeper is declared as gatekeeper.NAME { ... }"),
})
language.add_checks("machine", {
  named = declared("machine", "takes a table of states", read_machine),
  written = language.wrong("a machine is declared as machine.NAME { ... }"),
})
