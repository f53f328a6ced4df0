-- What a host needs now and then: writing to the state from outside a reducer, patterns, and
-- environments for scenario files and prompts.

local host = host
local error, getmetatable, ipairs, next, pairs, setmetatable, tostring, type =
  error, getmetatable, ipairs, next, pairs, setmetatable, tostring, type
local find, format = string.find, string.format

-- What a scenario file or a prompt shares with a flow.
local LIBRARY = {
  "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget",
  "rawlen", "rawset", "select", "setmetatable", "tonumber", "tostring", "type", "xpcall", "coroutine", "math",
  "string", "table", "utf8", "print", "list", "map", "none", "view", "date", "_VERSION",
}

function host.matches(text, pattern)
  return find(text, pattern) ~= nil
end

-- Merges a part into the state, for a scenario's `given`. Lists are replaced whole.
local function merge(target, part)
  for key, value in pairs(part) do
    local present = target[key]
    local both = type(value) == "table" and type(present) == "table" and next(value) ~= nil
    if both and (host.mark(value) == "map" or #value == 0 and #present == 0) then
      merge(present, value)
    else
      target[key] = value
    end
  end
end

function host.merge_state(part)
  merge(host.root(), part)
end

-- A list that a change empties is a list still. A node of the state knows what it is; a table that an
-- earlier change has put there says so itself, before it is changed.
local function keep_list(node)
  if getmetatable(node) == nil and #node > 0 then host.set_mark(node, "list") end
end

-- Carries changes out: { operation (0 set, 1 insert, 2 remove), path, value }.
function host.apply_changes(changes)
  for _, change in ipairs(changes) do
    local operation, path, value = change[1], change[2], change[3]
    local node = host.root()
    for index = 1, #path - 1 do node = node[path[index]] end
    keep_list(node)
    local key = path[#path]
    if operation == 1 then
      table.insert(node, key, value)
    elseif operation == 2 then
      table.remove(node, key)
    else
      node[key] = value
    end
  end
end

-- Takes over the state of an earlier text of the flow, which is the first change: fields that are new keep
-- their initial value. The second one lists the fields that text had, true for all: what has no value there has none
-- here. The third has the numbers of functions that bring the state up to date before that.
function host.merge_changes(changes)
  local node, fields = host.root(), changes[1][3]
  for _, number in ipairs(changes[3][3]) do
    local given = host.kept_function(number)(fields)
    if given ~= nil then fields = given end
    if type(fields) ~= "table" then error("migrate gives a table, or changes the one that it is given", 0) end
  end
  local names = changes[2][3]
  if names == true then
    names = {}
    for name in pairs(node) do names[#names + 1] = name end
  end
  for name, field in pairs(fields) do node[name] = field end
  for _, name in ipairs(names) do
    if fields[name] == nil and node[name] ~= nil then node[name] = nil end
  end
end

-- An environment apart from the flow's own, for a scenario file or a prompt: `words`, then the
-- flow's library, then what `lookup` finds. New globals stay in it. `meant` gives the names that a
-- mistyped one may stand for, if these are not all.
function host.new_environment(words, lookup, meant)
  local names = {}
  for _, name in ipairs(LIBRARY) do names[name] = host.global(name) end
  if host.inspecting_print then names.print = host.inspecting_print(names.print) end
  for name, word in pairs(words) do names[name] = word end
  setmetatable(names, {
    __index = function(_, name)
      local found = lookup and lookup(name)
      if found ~= nil then return found end
      local file, line = host.where()
      error(format("%s:%d: global %s is not defined%s", file or "?", line or 0, tostring(name),
        host.nearest(tostring(name), meant and meant() or names, true)), 0)
    end,
  })
  return setmetatable({}, { __index = names, __newindex = function(_, name, value)
    host.rawset(names, name, value)
  end, __metatable = false }), names
end

-- Stubs ------------------------------------------------------------------------------------------

-- The answer of an earlier life of the effect: an error is raised as it was, without another place in front.
local function given_again(is_fine, ...)
  if not is_fine then host.raise_answer((...)) end
  return ...
end

-- Records an answer: its call's number, whether it came without an error, and the answer.
local function recorded(call, is_fine, ...)
  if is_fine then
    host.stub_answered(call, true, ...)
    return ...
  end
  local raised = ...
  -- An error that is no plain value is known by its text.
  if not host.protect(host.stub_answered, call, false, raised) then
    host.stub_answered(call, false, tostring(raised))
  end
  host.raise_answer(raised)
end

local function take(answer, given, kind, ...)
  if kind == "told" then return given_again(...) end
  local pcall = host.global("pcall")  -- in which an effect may wait
  return recorded(..., pcall(answer, table.unpack(given, 1, given.n)))
end

-- Makes a stub whose answers to effects are recorded: after a restart it does not answer a second time.
function host.remembering(name, answer)
  return function(...)
    if not host.stub_is_recorded() then return answer(...) end
    return take(answer, table.pack(...), host.stub_called(name, ...))
  end
end
