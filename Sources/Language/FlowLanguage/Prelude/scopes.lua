-- Checks the declarations of scopes.

local host = host
local language = host.language
local fault, list, note, trail = language.fault, language.list, language.note, language.trail
local ipairs, pairs, select, tostring, type = ipairs, pairs, select, tostring, type
local format = string.format

local TAKEN = { key = true, parent = true, unlock = true, close = true, defer = true }
local WORDS = { parent = true, key = true, actions = true, make = true, private = true }

-- Adds a fault at the place of some keys of a scope's table.
local function fault_at(scope, message, ...)
  for index = 1, select("#", ...) do trail[index] = (select(index, ...)) end
  fault(message, scope)
  for index = #trail, 1, -1 do trail[index] = nil end
end

local function names_of(scope, key, value)
  local names = {}
  if value == nil then return list {} end
  if type(value) ~= "table" then
    fault_at(scope, format("scope %s: %s takes a list of names", scope.name, key), key)
    return list {}
  end
  for _, name in ipairs(value) do names[#names + 1] = tostring(name) end
  return list(names)
end

local function check_scope(name, definition)
  if not language.named("scope", name) then return end
  if type(definition) ~= "table" then return fault(format("scope %s takes a table", name)) end
  local entry, title = language.here(), "scope " .. name
  entry.word, entry.name = "scope", name
  for word in pairs(definition) do
    if not WORDS[word] then
      fault_at(entry, format("%s: unknown key %s; it takes parent, key, actions, make, private", title,
        tostring(word)), word)
    end
  end
  entry.parent = definition.parent ~= nil and tostring(definition.parent) or nil
  if name == "root" and entry.parent then
    fault_at(entry, "scope root is always open and has no parent", "parent")
  end
  if type(definition.key) == "function" then
    entry.key = language.function_entry(definition.key)
    if entry.key.parameters > 1 and entry.key.parameters < 255 then  -- 255 stands for any number
      fault(title .. ": key must be a function of the state alone, function(s), because it is evaluated "
        .. "without an action too; let a reducer store in the state what the key needs of an action",
        entry.key)
    end
  elseif definition.key ~= nil then
    fault_at(entry, title .. ": key is a function of s", "key")
  end
  entry.actions = names_of(entry, "actions", definition.actions)
  entry.private = names_of(entry, "private", definition.private)
  local order = {}
  if definition.make ~= nil and type(definition.make) ~= "table" then
    fault_at(entry, title .. ": make takes a table of functions", "make")
  else
    for factory, build in pairs(definition.make or {}) do
      if type(build) ~= "function" then
        fault_at(entry, format("%s: make.%s is a function", title, tostring(factory)), "make",
          factory)
      elseif TAKEN[factory] then
        fault_at(entry, format("%s: make.%s: the name %s is taken", title, factory, factory),
          "make", factory)
      else
        order[#order + 1] = factory
      end
    end
  end
  entry.factories = list(order)
  note("scope", name, entry)
end

language.add_checks("scope", {
  named = check_scope, written = language.wrong("a scope is declared as scope.NAME { ... }"),
})
