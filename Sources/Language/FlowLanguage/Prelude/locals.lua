-- Finds locals of a flow's files that its functions change. Such data belongs in the state.

local host = host
local getmetatable, ipairs, pairs, rawequal, type = getmetatable, ipairs, pairs, rawequal, type
local format = string.format

local NEVER = {}  -- a value that no local has

-- The locals that declared functions use, in the order of declaration: each with its value after loading, and with
-- those functions.
local locals = {}

local function watch(f, entry, found, seen)
  for number = 1, 255 do
    local name, value, id = host.upvalue(f, number)
    if not name then return end
    local watched = name ~= "_ENV" and found[id]
    if name ~= "_ENV" and not watched then
      watched = { name = name, f = f, number = number, value = value, loaded = value, entries = {} }
      found[id] = watched
      locals[#locals + 1] = watched
    end
    if watched and watched.entries[#watched.entries] ~= entry then
      watched.entries[#watched.entries + 1] = entry
    end
    if type(value) == "function" and not seen[value] then
      seen[value] = true
      watch(value, entry, found, seen)
    end
  end
end

local function watch_function(f, entry, found)
  watch(f, entry, found, { [f] = true })
end

local function watch_factories(found)
  for scope, factories in pairs(host.language.factories) do
    for name, build in pairs(factories) do
      local file, line = host.where_defined(build)
      watch_function(build, { title = format("scope %s: make.%s", scope, name), file = file,
        line = line }, found)
    end
  end
end

-- Stores the values of all locals after loading. An entry has a title, a place and, if its function belongs to an
-- action, the action's name. Returns true if there are any locals.
function host.watch_locals(entries)
  local found = {}
  for _, entry in ipairs(entries) do
    watch_function(host.kept_function(entry.reference), entry, found)
  end
  watch_factories(found)
  return #locals > 0
end

-- Returns the function that may have changed the local: a function of the action, if there is one.
local function changer(watched, action)
  for _, entry in ipairs(watched.entries) do
    if entry.action == action then return entry end
  end
  return watched.entries[1]
end

local function described(watched, action)
  local entry = changer(watched, action)
  return { file = entry.file, line = entry.line, title = entry.title,
    name = watched.name }
end

local function now(watched)
  local _, value = host.upvalue(watched.f, watched.number)
  return value
end

-- Returns the locals that have changed since the last call. Each is reported only once.
function host.changed_locals(action)
  local changed = {}
  for _, watched in ipairs(locals) do
    if not rawequal(now(watched), watched.value) then
      if not watched.told then changed[#changed + 1] = described(watched, action) end
      watched.told = true
      watched.value = now(watched)
    end
  end
  return host.set_mark(changed, "list")
end

-- Returns the locals whose values differ from those after loading.
function host.lost_locals()
  local lost = {}
  for _, watched in ipairs(locals) do
    if not rawequal(now(watched), watched.loaded) then
      lost[#lost + 1] = described(watched, NEVER)
    end
  end
  return host.set_mark(lost, "list")
end

-- Restarts ---------------------------------------------------------------------------------------

local MOST = 10000  -- the greatest number of elements of tables that are stored

-- The contents of the plain tables that locals reach. This is a list, because tables as keys have no fixed order.
local contents, known, room = {}, {}, MOST

local function keep(value)
  if type(value) ~= "table" or known[value] or host.kind(value) ~= "plain" or
      getmetatable(value) ~= nil or not host.protect(pairs, value) then
    return
  end
  local copy = {}
  local entry = { value = value, copy = copy }
  known[value] = true
  contents[#contents + 1] = entry
  for key, element in pairs(value) do
    if room == 0 then
      entry.copy = nil
      return
    end
    room = room - 1
    copy[key] = element
    keep(element)
  end
end

-- Stores the contents of the locals, for `restore_locals`.
function host.keep_locals()
  contents, known, room = {}, {}, MOST
  for _, watched in ipairs(locals) do keep(now(watched)) end
end

local function put_back(value, copy)
  if not host.protect(pairs, value) then return end
  for key in pairs(value) do
    if copy[key] == nil then host.rawset(value, key, nil) end
  end
  for key, element in pairs(copy) do host.rawset(value, key, element) end
end

-- Restores the locals to their values after loading, as they are in a new process.
function host.restore_locals()
  for _, watched in ipairs(locals) do
    if not rawequal(now(watched), watched.loaded) then
      host.set_upvalue(watched.f, watched.number, watched.loaded)
      watched.value = watched.loaded
    end
  end
  for _, entry in ipairs(contents) do
    if entry.copy then put_back(entry.value, entry.copy) end
  end
end
