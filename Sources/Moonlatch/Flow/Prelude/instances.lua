-- The instances of scopes that scripts hold.
--
-- Swift keeps the tree of open and closed instances (StateBlocks' Scope); what stands here is what a
-- script sees of it. An instance is known by a number. Whatever is read from it (a factory, a
-- capability) asks Swift again when it is called, so that it dies with its scope however it was
-- captured.

local host = host
local factories = host.language.factories
local error, ipairs, setmetatable, tostring, type = error, ipairs, setmetatable, tostring, type
local concat, format, unpack = table.concat, string.format, table.unpack
local pcall, running, select = pcall, coroutine.running, select

-- What a scenario answers for capabilities: "scope.name" -> function.
host.stubs = {}

-- Instances --------------------------------------------------------------------------------------

local instances = {}  -- number -> instance, until it closes
local instance
-- What is being made, by the coroutine that makes it: a factory may wait, and another effect runs
-- meanwhile.
local making = {}

local function build(number, scope, name, ...)
  local thread, step = running(), format("%s.%s", scope, name)
  local steps = making[thread] or {}
  for _, other in ipairs(steps) do
    if other == step then
      error(format("scope %s: %s is being made already (%s)", scope, name,
        concat(steps, " -> ") .. " -> " .. step), 0)
    end
  end
  making[thread] = steps
  steps[#steps + 1] = step
  local results = table.pack(pcall(factories[scope][name], instance(number), ...))
  steps[#steps] = nil
  if #steps == 0 then making[thread] = nil end
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2, results.n)
end

-- A scope that is used in a reducer, a rule, a view or an invariant is an error, however it got there.
local PURE = { reducer = true, rule = true, view = true, invariant = true }
local must_not_be = host.language.must_not_be

local function usable(number)
  must_not_be(PURE, "use a scope; only effects and factories can")
  if number then host.scope_check(number) end
end

local methods = {}

function methods.unlock(number)
  return function(_, name, ...)
    usable()
    local key = ...
    return instance(host.scope_unlock(number, tostring(name), select("#", ...) > 0, key))
  end
end

function methods.close(number)
  return function()
    usable()
    host.scope_close(number)
  end
end

local clean_ups, last_clean_up = {}, 0

function methods.defer(number)
  return function(_, f)
    usable()
    if type(f) ~= "function" then error("defer takes a function", 2) end
    host.scope_defer(number, last_clean_up + 1)
    last_clean_up = last_clean_up + 1
    clean_ups[last_clean_up] = f
  end
end

local function read(number, name)
  usable()
  if name == "key" then return host.scope_key(number) end
  if name == "parent" then
    local parent = host.scope_parent(number)
    return parent and instance(parent)
  end
  if methods[name] then return methods[name](number) end
  -- A name is looked up in the scope, then in its parents, past what is private there.
  local levels = host.scope_levels(number)
  for depth, level in ipairs(levels) do
    local visible = depth == 1 or not level.private[name]
    if visible and factories[level.name] and factories[level.name][name] then
      return function(_, ...)
        usable(number)
        return build(level.number, level.name, name, ...)
      end
    end
    local stub = visible and host.stubs[level.name .. "." .. tostring(name)]
    if stub then
      return function(_, ...)
        usable(number)
        return stub(...)
      end
    end
    if visible and host.scope_has(level.number, tostring(name)) then
      return function(_, ...)
        usable(number)
        return host.scope_call(level.number, name, ...)
      end
    end
  end
  local message = format("scope %s has no %s", levels[1].name, tostring(name))
  if host.is_field(name) then
    error(format("%s; the state is not at hand here: let a view select s.%s, and read the view",
      message, tostring(name)), 2)
  end
  if not host.expects_stubs then error(message, 2) end
  local file, line = host.where()
  host.scope_missing(format("%s, and no stub answers for it: stub(\"%s.%s\", function(...) ... end)"
    .. "  [%s:%d]", message, levels[1].name, tostring(name), file or "?", line or 0))
end

instance = function(number)
  local made = instances[number]
  if made then return made end
  made = setmetatable({}, {
    __index = function(_, name) return read(number, name) end,
    __newindex = function() error("a scope's instance cannot be changed", 2) end,
    __close = function() host.scope_leave(number) end,
    __tostring = function() return "scope " .. host.scope_name(number) end,
    __metatable = false,
  })
  instances[number] = made
  return made
end

-- The instance with that number, for the host: kept, so that an effect gets it as self.
function host.scope_instance(number)
  return host.keep(instance(number))
end

-- Runs a clean-up that was deferred.
function host.clean_up(number)
  local f = clean_ups[number]
  clean_ups[number] = nil
  f()
end

-- A closed instance lives on only where a script holds it.
function host.scope_forget(number)
  instances[number] = nil
end
