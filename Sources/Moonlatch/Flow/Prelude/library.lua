-- What a flow can call in every VM, be it the one that checks its declarations or a host's.

local host = host
local error, setmetatable, tostring, type = error, setmetatable, tostring, type
local format, match = string.format, string.match

local loading = true

local function must_be_loading(what)
  if not loading then
    error(what .. " is declared while the flow loads, not later", 0)
  end
end

-- Who runs, as messages say it.
local WHO = {
  idle = "the host", loading = "a file that is loading", rule = "a gate rule",
  reducer = "a reducer", view = "a view", invariant = "an invariant", effect = "an effect",
  script = "a script",
}

-- Raises where the script that runs now may not do what it is about to do.
local function must_not_be(phases, what)
  local phase = host.phase()
  if not phases[phase] then return end
  local file, line = host.where()
  error(format("%s:%d: %s cannot %s", file or "?", line or 0, WHO[phase], what), 0)
end

-- A text as a declaration shows it: reduce.coin, or reduce["T02 Check"].
local function dotted(kind, name)
  if type(name) ~= "string" then return format("%s[%s]", kind, tostring(name)) end
  if match(name, "^[%a_][%w_]*$") then return kind .. "." .. name end
  return format("%s[%q]", kind, name)
end

local function list(t)
  if type(t) ~= "table" then error("list takes a table: list {}", 0) end
  return host.set_mark(t, "list")
end

local function map(t)
  if type(t) ~= "table" then error("map takes a table: map {}", 0) end
  return host.set_mark(t, "map")
end

-- Modules ----------------------------------------------------------------------------------------

local NOTHING = {}
local modules, module_values = {}, {}

local function require(name)
  if type(name) ~= "string" then error("require takes a module's name", 0) end
  local found = modules[name]
  if found == NOTHING then error(format("module %q requires itself", name), 0) end
  if found ~= nil then return found end
  must_be_loading(format("module %q", name))
  local reference, file = host.load_module(name)
  if not reference then error(file, 0) end  -- it names its own place
  local chunk = host.take(reference)
  modules[name] = NOTHING
  local value = chunk(name, file)
  if value == nil then value = true end
  modules[name] = value
  module_values[#module_values + 1] = value
  return value
end

-- What scripts see -------------------------------------------------------------------------------

local function print(...)
  local texts = {}
  for index = 1, select("#", ...) do texts[index] = tostring((select(index, ...))) end
  host.print(table.concat(texts, "\t"))
end

local set_global = host.set_global
set_global("list", list)
set_global("map", map)
set_global("none", host.none)
set_global("require", require)
set_global("print", print)

-- `state`: a word that is called. Whoever takes it for the state is told where that is.
local function callable(kind, call)
  local function complain(_, name)
    local file, line = host.where()
    error(format("%s%s declares the state; a function is given it: s.%s",
      file and format("%s:%d: ", file, line) or "", kind, tostring(name)), 0)
  end
  return setmetatable({}, {
    __call = function(_, part) return call(part) end, __index = complain, __newindex = complain,
    __metatable = false,
  })
end

-- For the other files of the prelude.
host.language = {
  dotted = dotted, list = list, map = map, module_values = module_values,
  must_be_loading = must_be_loading, callable = callable, must_not_be = must_not_be, who = WHO,
  is_loading = function() return loading end,
  end_loading = function() loading = false end,
}
