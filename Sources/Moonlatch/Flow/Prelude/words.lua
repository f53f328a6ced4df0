-- The flow language in a host's VM: the words of a flow whose declarations were checked already.
--
-- The flow runs once to be checked (flow.lua and its like) and once for every host. Here nothing is
-- looked at again: the functions are kept in the order in which the checking kept them, so that
-- Swift knows them by the same numbers, and what the state begins with is put together.

local host = host
local language = host.language
local dotted, must_be_loading, is_loading =
  language.dotted, language.must_be_loading, language.is_loading
local keep, set_global = host.keep, host.set_global
local error, ipairs, pairs, setmetatable, tostring, type =
  error, ipairs, pairs, setmetatable, tostring, type
local format = string.format

local must_not_be, REDUCER = language.must_not_be, { reducer = true }

local initial = {}
language.initial = initial

local function state(part)
  must_be_loading("state")
  for name, value in pairs(part) do initial[name] = value end
end

-- Types ------------------------------------------------------------------------------------------

local a_type = host.frozen({})
local function make_type() return a_type end
host.callable(a_type, make_type)
host.callable(host.global("string"), make_type)

-- Functions by name ------------------------------------------------------------------------------

local function words(kind, index, call, assign)
  return setmetatable({}, {
    __index = index, __call = call, __metatable = false,
    __newindex = assign or function(_, name) must_be_loading(dotted(kind, name)) end,
  })
end

local declared = { reduce = {}, gate = {}, view = {}, invariant = {} }

local function declare_function(kind)
  local functions = declared[kind]
  return function(_, name, f)
    must_be_loading(dotted(kind, name))
    keep(f)
    functions[name] = f
  end
end

local function by_name(kind, call)
  return words(kind, declared[kind], call, declare_function(kind))
end

local function declare(kind, body)
  return function(_, name)
    return function(definition)
      must_be_loading(dotted(kind, name))
      body(name, definition)
    end
  end
end

local action = words("action", declare("action", function() end))

local gate = by_name("gate", function(_, name, _, rule)
  must_be_loading("gate")
  keep(rule)
  declared.gate[name] = rule
end)

-- view -------------------------------------------------------------------------------------------

local numbers, count, readers = {}, 0, {}

local view = words("view", function(_, name)
  if is_loading() then
    return numbers[name] and function() error("a view is read after loading", 0) end
  end
  local number = numbers[name]
  if not number then
    error(format("there is no view %s%s", tostring(name), host.nearest(name, numbers)), 0)
  end
  local read = readers[name]
  if not read then
    read = function()
      must_not_be(REDUCER, "read a view: it works with s, a, now() and random()")
      return host.view_read(number)
    end
    readers[name] = read
  end
  return read
end, nil, function(_, name, f)
  must_be_loading(dotted("view", name))
  keep(f)
  declared.view[name] = f
  numbers[name] = count
  count = count + 1
end)

-- gatekeeper -------------------------------------------------------------------------------------

local keepers, policies = {}, {}

local function declare_gatekeeper(name, entries)
  must_be_loading("gatekeeper")
  policies[name] = true
  for _, entry in pairs(entries) do
    if type(entry) == "table" then
      for _, value in pairs(entry) do
        if type(value) == "function" then keep(value) end
      end
    end
  end
end

local function check_keeper(name)
  if not policies[name] then
    error(format("there is no gatekeeper %s%s", tostring(name),
      host.nearest(tostring(name), policies)), 0)
  end
  must_not_be(REDUCER, "ask a gatekeeper: it works with s, a, now() and random()")
  host.depend("gatekeeper " .. name)
end

-- What the flow holds as gatekeeper.NAME: called while it loads, asked afterwards.
local function keeper(_, name)
  local made = keepers[name]
  if made then return made end
  local methods = {}
  function methods:may_pass(option)
    check_keeper(name)
    return host.keeper_may_pass(name, option)
  end
  function methods:holder(option)
    check_keeper(name)
    return host.keeper_holder(name, option)
  end
  made = words("gatekeeper", methods, function(_, entries) return declare_gatekeeper(name, entries) end,
    function() error("a gatekeeper cannot be changed", 0) end)
  keepers[name] = made
  return made
end

-- machine ----------------------------------------------------------------------------------------

local machines = {}

local function keep_guard(target)
  if type(target) == "table" and target.when ~= nil then keep(target.when) end
end

local function keep_state(state)
  for word, value in pairs(state) do
    if word == "after" then
      for _, delay in pairs(value) do
        if type(delay) == "function" then keep(delay) end
      end
    elseif word == "on_enter" or word == "on_exit" then
      keep(value)
    elseif type(value) == "table" then
      if value.to ~= nil then keep_guard(value)
      else for _, target in ipairs(value) do keep_guard(target) end end
    end
  end
end

local machine = words("machine", declare("machine", function(name, definition)
  machines[#machines + 1] = name
  for key, value in pairs(definition) do
    if key == "initial" then initial[name] = value else keep_state(value) end
  end
end))

-- scope and effect -------------------------------------------------------------------------------

local factories = {}  -- scope -> name -> function
language.factories = factories

local scope = words("scope", declare("scope", function(name, definition)
  if definition.key then keep(definition.key) end
  factories[name] = definition.make or {}
end))

local function keep_effect(definition)
  keep(type(definition) == "table" and definition.run or definition)
end

local effect = words("effect",
  declare("effect", function(_, definition) keep_effect(definition) end),
  function(_, _, _, definition)
    must_be_loading("effect")
    keep_effect(definition)
  end,
  function(_, name, definition)
    must_be_loading(dotted("effect", name))
    keep_effect(definition)
  end)

-- The host's side --------------------------------------------------------------------------------

-- A function that has two names is called by the first in tracebacks.
local function name_functions()
  local has_name = {}
  for _, kind in ipairs({ "reduce", "gate", "view", "invariant" }) do
    local functions = {}
    for name, f in pairs(declared[kind]) do
      if not has_name[f] then functions[name], has_name[f] = f, true end
    end
    host.name_functions(kind, functions)
  end
end

-- Loading is over: the state comes to life, and what scripts can reach becomes read-only.
function host.finish()
  language.end_loading()
  host.declare_state(initial)
  for _, name in ipairs(machines) do host.mark_machine(name) end
  for _, value in ipairs(language.module_values) do host.freeze(value) end
  host.freeze_globals()
  name_functions()
end

set_global("state", language.callable("state", state))
set_global("action", action)
set_global("reduce", by_name("reduce"))
set_global("gate", gate)
set_global("view", view)
set_global("invariant", by_name("invariant"))
set_global("gatekeeper", words("gatekeeper", keeper))
set_global("machine", machine)
set_global("scope", scope)
set_global("effect", effect)
for _, name in ipairs({ "boolean", "integer", "number", "any" }) do set_global(name, a_type) end
for _, name in ipairs({ "one_of", "list_of", "map_of", "optional" }) do
  set_global(name, make_type)
end
