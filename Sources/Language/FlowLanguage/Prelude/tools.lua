-- Functions for hosts: writing to the state from outside a reducer, patterns, and environments for scenario files and
-- prompts.

local host = host
local error, getmetatable, ipairs, next, pairs, select, setmetatable, tostring, type =
  error, getmetatable, ipairs, next, pairs, select, setmetatable, tostring, type
local find, format = string.find, string.format

-- The library functions that a scenario file or a prompt shares with a flow.
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

-- Marks a list, so that it stays a list when a change empties it. A node of the state knows its kind; a table that an
-- earlier change has put there must be marked.
local function keep_list(node)
  if getmetatable(node) == nil and #node > 0 then host.set_mark(node, "list") end
end

-- Applies changes. `next_change` returns each: an operation (0 set, 1 insert, 2 remove), the table that it changes, the
-- key there, and the value.
function host.apply_changes(next_change)
  for operation, node, key, value in next_change do
    keep_list(node)
    if operation == 1 then
      table.insert(node, key, value)
    elseif operation == 2 then
      table.remove(node, key)
    else
      node[key] = value
    end
  end
end

-- Adopts the state of an earlier version of the flow, which is the value of the first change; new fields keep their
-- initial values. The second value lists the fields of that version (true for all): fields without a value there have
-- none here. The third has the numbers of the functions that migrate the state first.
function host.merge_changes(next_change)
  local node, fields = host.root(), (select(4, next_change()))
  local names, functions = (select(4, next_change())), (select(4, next_change()))
  for _, number in ipairs(functions) do
    local given = host.kept_function(number)(fields)
    if given ~= nil then fields = given end
    if type(fields) ~= "table" then error("migrate must return a table, or change the one that it gets", 0) end
  end
  if names == true then
    names = {}
    for name in pairs(node) do names[#names + 1] = name end
  end
  for name, field in pairs(fields) do node[name] = field end
  for _, name in ipairs(names) do
    if fields[name] == nil and node[name] ~= nil then node[name] = nil end
  end
end

-- Makes an environment for a scenario file or a prompt, separate from the flow's. A name is looked up in `words`, then
-- in the flow's library, then by `lookup`. New globals stay in this environment. `meant` returns the names that are
-- suggested for a mistyped one, if there are others than those.
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

-- Returns the recorded answer of a stub; an error is raised again unchanged, without another place before it.
local function given_again(is_fine, ...)
  if not is_fine then host.raise_answer((...)) end
  return ...
end

-- Records an answer of a stub: the number of its call, true unless it raised an error, and the result.
local function recorded(call, is_fine, ...)
  if is_fine then
    host.stub_answered(call, true, ...)
    return ...
  end
  local raised = ...
  -- An error that is not plain data is recorded as its text.
  if not host.protect(host.stub_answered, call, false, raised) then
    host.stub_answered(call, false, tostring(raised))
  end
  host.raise_answer(raised)
end

local function take(answer, given, kind, ...)
  if kind == "told" then return given_again(...) end
  local pcall = host.global("pcall")  -- an effect may wait inside
  return recorded(..., pcall(answer, table.unpack(given, 1, given.n)))
end

-- Makes a stub whose answers to effects are recorded: after a restart it does not answer a second time.
function host.remembering(name, answer)
  return function(...)
    if not host.stub_is_recorded() then return answer(...) end
    return take(answer, table.pack(...), host.stub_called(name, ...))
  end
end
