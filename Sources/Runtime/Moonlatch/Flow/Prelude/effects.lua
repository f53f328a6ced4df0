-- effect: its declarations.

local host = host
local language = host.language
local fault, named, note = language.fault, language.named, language.note
local pairs, tostring, type = pairs, tostring, type
local format = string.format

-- What names an action that follows on an effect.
local FOLLOWING = { on_done = true, on_error = true }

-- What is noted of a function, or of a table with `run`; nil where it is neither.
local function entry_of(name, definition, complaint)
  if type(definition) == "function" then return language.function_entry(definition) end
  if type(definition) ~= "table" or type(definition.run) ~= "function" then
    return fault(complaint)
  end
  for key in pairs(definition) do
    if key ~= "run" and key ~= "durable" and not FOLLOWING[key] then
      fault(format("effect %s says %s; it takes run, on_done, on_error and durable", tostring(name),
        tostring(key)))
    end
  end
  local entry = language.function_entry(definition.run)
  if definition.durable ~= nil and type(definition.durable) ~= "boolean" then
    fault(format("effect %s: durable is true or false", tostring(name)))
  end
  entry.durable = definition.durable
  for key in pairs(FOLLOWING) do
    local action = definition[key]
    if type(action) == "string" then entry[key] = action
    elseif action ~= nil then
      fault(format("effect %s: %s is the name of an action", tostring(name), key))
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
    format("effect %s says after which actions it runs: a list of names, or \"*\"", name))
  note("effect", name, entry)
end

language.add_checks("effect", { named = check_own, written = check_own, called = check_shared })
