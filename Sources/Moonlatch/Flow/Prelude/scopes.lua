-- scope: its declarations.

local host = host
local language = host.language
local fault, list, note = language.fault, language.list, language.note
local ipairs, pairs, setmetatable, tostring, type = ipairs, pairs, setmetatable, tostring, type
local format = string.format

local TAKEN = { key = true, parent = true, unlock = true, close = true, defer = true }
local WORDS = { parent = true, key = true, actions = true, make = true, private = true }

local function names_of(value, title)
  local names = {}
  if value == nil then return list {} end
  if type(value) ~= "table" then
    fault(title .. " takes a list of names")
    return list {}
  end
  for _, name in ipairs(value) do names[#names + 1] = tostring(name) end
  return list(names)
end

local function declare_scope(name, definition)
  language.must_be_loading("scope")
  if not language.named("scope", name) then return end
  if type(definition) ~= "table" then return fault(format("scope %s takes a table", name)) end
  local entry, title = language.here(), "scope " .. name
  for word in pairs(definition) do
    if not WORDS[word] then
      fault(format("%s says %s; it takes parent, key, actions, make, private", title,
        tostring(word)))
    end
  end
  entry.parent = definition.parent ~= nil and tostring(definition.parent) or nil
  if name == "root" and entry.parent then
    fault("scope root is always open and has no parent")
  end
  if type(definition.key) == "function" then
    entry.key = language.function_entry(definition.key)
    entry.key.call = nil
  elseif definition.key ~= nil then
    fault(title .. ": key is a function of s")
  end
  entry.actions = names_of(definition.actions, title .. ": actions")
  entry.private = names_of(definition.private, title .. ": private")
  local order = {}
  if definition.make ~= nil and type(definition.make) ~= "table" then
    fault(title .. ": make takes a table of functions")
  else
    for factory, build in pairs(definition.make or {}) do
      if type(build) ~= "function" then
        fault(format("%s: make.%s is a function", title, tostring(factory)))
      elseif TAKEN[factory] then
        fault(format("%s: make.%s: the name %s is taken", title, factory, factory))
      else
        order[#order + 1] = factory
      end
    end
  end
  entry.factories = list(order)
  note("scope", name, entry)
end

-- What scripts see -------------------------------------------------------------------------------

host.describers.scopes = function() return language.entries("scope") end

host.set_global("scope", setmetatable({}, {
  __index = function(_, name)
    return function(definition) return declare_scope(name, definition) end
  end,
  __newindex = function() fault("a scope is declared as scope.NAME { ... }") end,
  __metatable = false,
}))
