-- Checks the declarations of effects.

local host = host
local language = host.language
local fault, named, note, trail = language.fault, language.named, language.note, language.trail
local pairs, tostring, type = pairs, tostring, type
local format = string.format

-- The keys that name the action which an effect dispatches when it ends.
local FOLLOWING = { on_done = true, on_error = true }

local FAULTS = { action = true, faults = true }

-- Records the action of on_done or on_error: its name, or for on_error also { action = NAME, faults = true }.
function language.note_following(entry, key, said, title, complain)
  local action = said
  if key == "on_error" and type(said) == "table" then
    action = said.action
    for word in pairs(said) do
      if not FAULTS[word] then
        complain(format("%s: on_error has an unknown key %s; it takes action, faults", title, tostring(word)))
      end
    end
    if said.faults ~= nil and type(said.faults) ~= "boolean" then
      complain(format("%s: faults of on_error must be true or false", title))
    end
    entry.on_error_faults = said.faults == true
  end
  if type(action) == "string" then entry[key] = action
  else complain(format("%s: %s must be the name of an action", title, key)) end
end

-- Adds a fault whose place is a key in the table of an effect.
local function fault_at(name, key, message)
  local place = language.here()
  place.word, place.name = "effect", name
  trail[#trail + 1] = key
  fault(message, place)
  trail[#trail] = nil
end

-- Returns the entry of a function, or of a table with `run`; nil if the value is neither.
local function entry_of(name, definition, complaint)
  if type(definition) == "function" then return language.function_entry(definition) end
  if type(definition) ~= "table" or type(definition.run) ~= "function" then
    return fault(complaint)
  end
  for key in pairs(definition) do
    if key ~= "run" and key ~= "durable" and not FOLLOWING[key] then
      fault_at(name, key, format("effect %s: unknown key %s; it takes run, on_done, on_error and durable",
        tostring(name), tostring(key)))
    end
  end
  local entry = language.function_entry(definition.run)
  if definition.durable ~= nil and type(definition.durable) ~= "boolean" then
    fault_at(name, "durable", format("effect %s: durable must be true or false", tostring(name)))
  end
  entry.durable = definition.durable
  for key in pairs(FOLLOWING) do
    local action = definition[key]
    if action ~= nil then
      language.note_following(entry, key, action, format("effect %s", tostring(name)),
        function(message) fault_at(name, key, message) end)
    end
  end
  return entry
end

-- effect.NAME = function, effect.NAME { run = function }
local function check_own(name, definition)
  if not named("effect", name) then return end
  local entry = entry_of(name, definition,
    format("%s takes a function of (self, a), or a table with run, on_done, on_error and durable",
      language.dotted("effect", name)))
  if entry then note("effect", name, entry) end
end

-- effect(name, actions, function)
local function check_shared(name, actions, definition)
  if not named("effect", name) then return end
  local entry = entry_of(name, definition,
    format("effect %s needs a function: effect(%q, \"*\", function(self, a, commit) ... end)",
      name, name))
  if not entry then return end
  language.note_actions(entry, actions,
    format("effect %s needs the actions after which it runs: a list of names, or \"*\"", name))
  note("effect", name, entry)
end

language.add_checks("effect", { named = check_own, written = check_own, called = check_shared })
