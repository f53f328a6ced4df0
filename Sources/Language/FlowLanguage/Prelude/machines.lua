-- Reads the tables of machines. A machine is recorded as a list of states, each with the number of its parent. This
-- file checks each state by itself; Swift checks the states against each other (ChartBuilder.swift).

local host = host
local language = host.language
local fault, below, list = language.policy_fault, language.below, language.list
local function_entry = language.function_entry
local is_transition, read_transitions = language.is_transition, language.read_transitions
local read_moves, read_timers = language.read_moves, language.read_timers
local read_actions = language.read_actions
local ipairs, pairs, tostring, type = ipairs, pairs, tostring, type
local concat, format, match, sort, unpack =
  table.concat, string.format, string.match, table.sort, table.unpack

-- A host stores the active state of a machine in 16 bits. Functions are found only up to a limited depth, of which the
-- transitions of a state need five levels (checking.c).
local MOST_STATES, DEEPEST = 32000, host.nesting() - 5
-- A long name is part of the path of every state inside.
local MOST_BYTES = 4 << 20

-- States -----------------------------------------------------------------------------------------

local EFFECT = { run = true, durable = true, on_done = true, on_error = true }

local function read_effect(title, value)
  if type(value) == "function" then return { run = function_entry(value) } end
  if type(value) ~= "table" or type(value.run) ~= "function" then
    return fault(format("%s takes a function of (self, a), or a table with run, on_done, on_error, durable",
      title))
  end
  local effect = { run = function_entry(value.run) }
  for key, said in pairs(value) do
    if not EFFECT[key] then
      below(key, fault, format("%s: unknown key %s; it takes run, on_done, on_error, durable", title,
        tostring(key)))
    elseif key == "durable" then
      if type(said) == "boolean" then effect.durable = said
      else below(key, fault, format("%s: durable must be true or false", title)) end
    elseif key ~= "run" then
      language.note_following(effect, key, said, title, function(text) below(key, fault, text) end)
    end
  end
  return effect
end

local function read_regions(title, value)
  local names = {}
  for index, name in ipairs(type(value) == "table" and value or {}) do
    if type(name) ~= "string" then break end
    names[index] = name
  end
  if #names == 0 or #names ~= #value then
    fault(format("%s must list the names of states that are active together: { \"a\", \"b\" }", title))
  end
  return list(names)
end

local function a_text(complaint)
  return function(title, value)
    if type(value) == "string" then return value end
    fault(format(complaint, title))
  end
end

local WORDS = {}

function WORDS.initial(read, title, value)
  if type(value) == "string" then read.initial = value
  elseif read.parent == 0 then fault(format("%s must be the name of a state", title))
  else fault(format("%s must be the name of a state inside", title)) end
end

function WORDS.parallel(read, title, value) read.parallel = read_regions(title, value) end
function WORDS.after(read, title, value) read_timers(read, title, "after", value) end
function WORDS.every(read, title, value) read_timers(read, title, "every", value) end
function WORDS.always(read, title, value) read.always = read_moves(title, value) end
function WORDS.on_done(read, title, value) read.on_done = read_moves(title, value) end
function WORDS.effect(read, title, value) read.effect = read_effect(title, value) end

for _, word in ipairs({ "on_enter", "on_exit" }) do
  WORDS[word] = function(read, title, value)
    if type(value) == "function" then read[word] = function_entry(value)
    else fault(format("%s must be a function of (s, a)", title)) end
  end
end

function WORDS.postpone(read, title, value)
  read.postpone = read_actions(value)
  if not read.postpone then fault(title .. " must be the name of an action, or a list of names: { \"pay\" }") end
end

function WORDS.final(read, title, value)
  read.final = value == true
  if type(value) ~= "boolean" then fault(title .. " must be true or false") end
end

-- The keywords that belong to the machine as a whole.
local WHOLE = { initial = true, parallel = true, always = true }
local TEXTS = { each = true, field = true }
local RECORDS = {
  each = a_text("%s must be the path of records in the state: \"players\""),
  field = a_text("%s must be the name of a field of the records"),
  which = function(title, value)
    local names = type(value) == "table" and value or { value }
    for index = 1, #names do
      if type(names[index]) ~= "string" then names = {} end
    end
    if #names > 0 then return list { unpack(names) } end
    fault(format("%s must be the payload field that names the record, or a list of such fields", title))
  end,
  which_in = function(title, value)
    local fields = {}
    for action, field in pairs(type(value) == "table" and value or {}) do
      fields[#fields + 1] = { action = tostring(action), field = field }
      if type(field) ~= "string" then fields = {} break end
    end
    if #fields > 0 then return list(fields) end
    fault(format("%s takes a table: which_in = { ACTION = \"field\" }", title))
  end,
  without = function(title, value)
    local actions = {}
    for action, passes in pairs(type(value) == "table" and value or {}) do
      actions[#actions + 1] = tostring(action)
      if passes ~= true then actions = {} break end
    end
    if #actions > 0 then return list(actions) end
    fault(format("%s takes a table: without = { ACTION = true }", title))
  end,
}
-- The other names that no state can have.
local RESERVED = { reduce = true, refuse = true, history = true }

-- Reads the transitions that apply to all states of a table ("*").
local function read_everywhere(read, prefix, value)
  read.everywhere = {}
  for action, said in pairs(value) do
    if WORDS[action] or type(said) == "table" and not is_transition(said) then
      below(action, fault, format("%s[\"*\"] can list only transitions", prefix))
    elseif type(action) ~= "string" then
      fault(format("%s*: the name of an action must be a string, not %s", prefix, tostring(action)))
    else
      local transitions = below(action, read_transitions, format("%s*.%s", prefix, action), said)
      if transitions then read.everywhere[#read.everywhere + 1] = { action = action, transitions = transitions } end
    end
  end
  read.everywhere = list(read.everywhere)
end

local function not_a_state(title, name)
  local words = {}
  for _, table in ipairs({ WORDS, RECORDS, RESERVED }) do
    for word in pairs(table) do words[#words + 1] = word end
  end
  sort(words)
  fault(format("%s: a state cannot have the name %s; the keywords of machines are %s", title, name, concat(words, ", ")))
end

local read_state

-- Records a state inside the state with that number, or the transitions of all states inside it.
local function read_inside(states, number, prefix, name, value)
  if name == "*" then return read_everywhere(states[number], prefix, value) end
  local title = prefix .. name
  if RECORDS[name] or RESERVED[name] then not_a_state(title, name) end
  read_state(states, number, name, title, value)
end

local TRANSITION_WORDS = { "to", "when", "reduce", "reenter", "history", "refuse", "restart_timer" }

-- Returns the keyword of transitions that names an action in the table of the initial state; nil if there is none.
local function misnamed(key, value, initial)
  if type(initial) ~= "string" or match(initial, "^[^.]*") ~= key then return nil end
  for _, word in ipairs(TRANSITION_WORDS) do
    if value[word] ~= nil and language.declared.action[word] then return word end
  end
end

-- Reports only this fault of the machine: its states can no longer be distinguished from transitions.
local function read_misnamed(states, key, word)
  if states.is_full then return end
  states.is_full = true
  below(word, fault, format("machine %s: %s: an action in a state cannot have the name %s, which is a keyword of transitions "
    .. "(%s); rename the action", states.name, key, word, concat(TRANSITION_WORDS, ", ")))
end

-- Adds the value of one key to the state with that number; `prefix` comes before its keys in messages.
local function read_key(states, number, prefix, key, value)
  local read, is_whole, is_table = states[number], number == 1, type(value) == "table"
  local title = prefix .. tostring(key)
  if type(key) ~= "string" then
    fault(format(is_whole and "%sthe name of a state must be a string, not %s"
      or "%s: the name of an action must be a string, not %s", is_whole and prefix or prefix:sub(1, -2),
      tostring(key)))
  elseif WORDS[key] then
    if not is_whole or WHOLE[key] then WORDS[key](read, title, value)
    elseif is_table then not_a_state(title, key)
    else fault(format("%s belongs inside a state", title)) end
  elseif is_whole and RECORDS[key] and not (is_table and TEXTS[key]) then
    states.records[key] = RECORDS[key](title, value)
  elseif is_table and misnamed(key, value, read.begins) then
    read_misnamed(states, key, misnamed(key, value, read.begins))
  elseif is_table and not is_transition(value) then
    read_inside(states, number, prefix, key, value)
  elseif is_whole and (type(value) == "function" or type(value) == "number") then
    fault(format("%s is a state and must be a table", title))
  else
    local transitions = read_transitions(title, value)
    if transitions then read.transitions[#read.transitions + 1] = { action = key, transitions = transitions } end
  end
end

-- Limits the depth and number of states: a script's table may contain itself.
function read_state(states, parent, name, title, state)
  local read = { name = name, parent = parent, transitions = {}, timers = {} }
  local number = #states + 1
  read.depth = parent == 0 and 1 or states[parent].depth + 1
  if states.is_full then return end
  states.bytes = states.bytes + #title
  local excess
  if read.depth > DEEPEST then
    excess = format("machine %s: states are nested more than %d deep", states.name,
      DEEPEST - 1)
  elseif number > MOST_STATES then
    excess = format("machine %s has more than %d states", states.name, MOST_STATES - 1)
  elseif states.bytes > MOST_BYTES then
    excess = format("machine %s: the paths of its states take more than %d bytes", states.name,
      MOST_BYTES)
  end
  if excess then
    states.is_full = true
    return fault(excess)
  end
  states[number], read.begins = read, state.initial
  local prefix = parent == 0 and title .. ": " or title .. "."
  for key, value in pairs(state) do below(key, read_key, states, number, prefix, key, value) end
  read.transitions, read.timers = list(read.transitions), list(read.timers)
end

local function read_machine(name, definition, machine)
  local field = language.is_field(name)
  if field then
    fault(format("machine %s has the same name as the field state.%s (%s:%d); its state is stored in s.%s", name,
      name, field.file, field.line, name))
  end
  local states = { name = name, records = {}, bytes = 0 }
  read_state(states, 0, name, "machine " .. name, definition)
  for word, value in pairs(states.records) do machine[word] = value end
  if not machine.each then
    for _, word in ipairs({ "which", "which_in", "without", "field" }) do
      if machine[word] then
        below(word, fault, format("machine %s: %s needs each, the path of the records", name,
          word))
      end
    end
  end
  -- A machine that was not read completely reports only that fault.
  machine.states = list(states.is_full and {} or { unpack(states) })
end

language.add_checks("machine", {
  named = language.policy("machine", "takes a table of states", read_machine),
  written = language.wrong("a machine is declared as machine.NAME { ... }"),
})
