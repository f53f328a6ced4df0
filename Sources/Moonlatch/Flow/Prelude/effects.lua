-- effect: its declarations.

local host = host
local language = host.language
local fault, list, note = language.fault, language.list, language.note
local ipairs, pairs, setmetatable, tostring, type = ipairs, pairs, setmetatable, tostring, type
local format = string.format

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

host.set_global("effect", effect)
