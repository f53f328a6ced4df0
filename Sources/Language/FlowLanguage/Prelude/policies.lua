-- Reads the tables of gatekeepers, and helps to read those of machines (machines.lua). Each is read once, at load.

local host = host
local language = host.language
local list, note, trail = language.list, language.note, language.trail
local ipairs, pairs, tostring, type = ipairs, pairs, tostring, type
local format = string.format

-- The declaration that is being read; the trail of keys gives the place of a fault in its table.
local reading

local function fault(message) language.fault(message, reading) end

local function below(key, read, ...)
  trail[#trail + 1] = key
  local answer = read(...)
  trail[#trail] = nil
  return answer
end

-- Returns a check that reads the table of a declaration with `read`, and records the result.
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

-- Returns the options of one verb in an entry: some, all, or a function that computes them.
local function policy(value, title)
  if type(value) == "function" then return { options = list {}, work_out = language.function_entry(value) } end
  if value == "*" then return { options = list {}, all = true } end
  if type(value) == "string" then return { options = list { value } } end
  if type(value) == "table" then
    local options = {}
    for _, option in ipairs(value) do
      if type(option) ~= "string" then
        fault(format("%s: the name of an option must be a string, not %s", title, tostring(option)))
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
  fault(format("%s: unknown key %s; it takes attempt, reset, unless", title, tostring(verb)))
end

local function read_entry(name, action, entry)
  local title = format("gatekeeper %s: %s", name, tostring(action))
  local read = { action = tostring(action) }
  if type(entry) == "table" then
    for verb, value in pairs(entry) do read[verb] = below(verb, read_verb, title, verb, value) end
  elseif VERBS[entry] then
    read[entry] = { options = list { "passage" } }
  elseif type(entry) == "string" then
    fault(format("%s: unknown word %q; it takes \"attempt\", \"reset\", \"unless\"", title, entry))
    return nil
  else
    fault(format("%s takes \"attempt\", \"reset\" or a table", title))
    return nil
  end
  return read
end

local function read_gatekeeper(name, entries, gatekeeper)
  local described, texts, tables = {}, 0, 0
  for action, entry in pairs(entries) do
    if type(entry) == "string" then texts = texts + 1 end
    if type(entry) == "table" then tables = tables + 1 end
    described[#described + 1] = below(action, read_entry, name, action, entry)
  end
  if texts > 0 and tables > 0 then
    fault(format("gatekeeper %s mixes strings and tables: a yes/no gatekeeper has only strings, "
      .. "one with options only tables", name))
  end
  gatekeeper.entries, gatekeeper.yes_no = list(described), tables == 0
end

language.add_checks("gatekeeper", {
  named = declared("gatekeeper", "takes a table with the verb of each action, such as { ACTION = \"attempt\" }",
    read_gatekeeper),
  written = language.wrong("a gatekeeper is declared as gatekeeper.NAME { ... }"),
})

-- For the other files of the prelude.
language.policy_fault, language.below, language.policy = fault, below, declared
