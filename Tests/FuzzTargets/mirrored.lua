-- A flow that does to its state what a list of choices says, and the same to plain tables beside it.
--
-- Within a transition a table that stands in two places is one table, in the state as in plain
-- Lua; when it ends each place has its own. So the plain tables, made a tree, say what the state
-- has to be.

state {
  tree = map { a = list { 1, 2, 3 }, b = map { x = 1, y = "two" }, c = list {}, d = map {} },
  user = { name = "u", tags = list { "one" }, address = { street = "s", number = none } },
  fixed = list { { 1 }, { 2 } },
  loose = map {},
}
action.step { choices = list_of(integer), fails = boolean, length = integer }
action.overwrite { choices = list_of(integer), fails = boolean, length = integer }
action.loosen { choices = list_of(integer), fails = boolean, length = integer }
action.check {}

local kinds = {}        -- mirror table -> "list" or "map"
local model, pending    -- mirrors of the state: as it is, and as the last step would have it

local function new(kind)
  local t = {}
  kinds[t] = kind
  return t
end

-- A copy of a mirror in which every place has a table of its own.
local function tree_of(t)
  if type(t) ~= "table" then return t end
  local copy = new(kinds[t])
  for k, v in pairs(t) do copy[k] = tree_of(v) end
  return copy
end

-- A mirror of what a new state holds.
local function mirror_of(t, kind)
  local copy = new(kind)
  for k, v in pairs(t) do
    copy[k] = type(v) == "table" and mirror_of(v, (#v > 0 or k == "c" or k == "tags") and "list" or "map") or v
  end
  return copy
end

local choices, taken
local function random(n)
  taken = taken + 1
  return (choices[taken] or taken) % n + 1
end

local KEYS = { "k1", "k2", "k3", "k4", "x", "y", "a" }

local function scalar()
  local values = { random(5), random(5) + 0.5, "text" .. random(3), random(2) == 1, 7 }
  return values[random(5)]
end

-- A new value, twice: for the state and for the mirror.
local function value(depth)
  if depth == 0 or random(3) == 1 then
    local v = scalar()
    return v, v
  end
  if random(2) == 1 then
    local a, b = list {}, new("list")
    for i = 1, random(4) - 1 do a[i], b[i] = value(depth - 1) end
    return a, b
  end
  local a, b = map {}, new("map")
  for i = 1, random(4) - 1 do
    local k = KEYS[random(#KEYS)]
    a[k], b[k] = value(depth - 1)
  end
  return a, b
end

local function tables_in(t)
  local keys = {}
  for k, v in pairs(t) do
    if type(v) == "table" then keys[#keys + 1] = k end
  end
  return keys
end

-- Some table below, and its mirror.
local function pick(s, m)
  for _ = 1, random(5) - 1 do
    local keys = tables_in(m)
    if #keys == 0 then break end
    local k = keys[random(#keys)]
    s, m = s[k], m[k]
  end
  return s, m
end

local function has_cycle(t, above, depth)
  if above[t] or depth > 60 then return true end
  above[t] = true
  for _, v in pairs(t) do
    if type(v) == "table" and has_cycle(v, above, depth + 1) then return true end
  end
  above[t] = nil
  return false
end

-- Puts a value into a random place of a table. What the state refuses is not done to the mirror.
local function put(s, m, v, w)
  if kinds[m] == "list" then
    if random(2) == 1 then
      local at = random(#m + 1)
      if pcall(table.insert, s, at, v) then table.insert(m, at, w) end
    else
      local at = random(#m + 1)
      if pcall(function() s[at] = v end) then m[at] = w end
    end
  else
    local k = KEYS[random(#KEYS)]
    if pcall(function() s[k] = v end) then m[k] = w end
  end
end

-- Takes a value out of a table.
local function take(s, m)
  if kinds[m] == "list" then
    if #m == 0 then return end
    local at = random(#m)
    return table.remove(s, at), table.remove(m, at)
  end
  local keys = {}
  for k in pairs(m) do keys[#keys + 1] = k end
  if #keys == 0 then return end
  local k = keys[random(#keys)]
  local v, w = s[k], m[k]
  s[k], m[k] = nil, nil
  return v, w
end

local function rank(v) return type(v) == "number" and v or type(v) == "string" and #v or 0 end

local kept_s, kept_m
local operations = {
  function(s, m) put(s, m, value(0)) end,
  function(s, m) put(s, m, value(2)) end,
  function(s, m) take(s, m) end,
  function(s, m, root, mirror)  -- a move
    local v, w = take(s, m)
    if v ~= nil then
      local there, there_m = pick(root, mirror)
      put(there, there_m, v, w)
    end
  end,
  function(s, m, root, mirror)  -- an alias
    local v, w = pick(root, mirror)
    if v ~= root then put(s, m, v, w) end
  end,
  function(s, m)  -- a swap
    if kinds[m] == "list" and #m >= 2 then
      local i, j = random(#m), random(#m)
      s[i], s[j] = s[j], s[i]
      m[i], m[j] = m[j], m[i]
    end
  end,
  function(s, m)
    if kinds[m] ~= "list" then return end
    table.sort(s, function(a, b) return rank(a) < rank(b) end)
    table.sort(m, function(a, b) return rank(a) < rank(b) end)
  end,
  function(s, m)  -- a node kept across operations, in the state or not
    if kept_s and random(2) == 1 then put(kept_s, kept_m, value(1))
    else kept_s, kept_m = s, m end
  end,
  function(s, m, root, mirror)  -- a plain table around a node
    local v, w = pick(root, mirror)
    if v == root then return end
    local outer = new("map")
    outer.k1 = w
    put(s, m, map { k1 = v }, outer)
  end,
  function(_, _, s, _, state)  -- what the state refuses
    pcall(function() s[{}] = 1 end)
    pcall(function() s.k1 = print end)
    pcall(function() s[0.5] = 1 end)
    pcall(function() s.k1 = 0 / 0 end)
    pcall(function() state.fixed[4] = {} end)
    pcall(function() state.fixed.name = {} end)
    pcall(function() state.nothing = s.a end)
  end,
  function(s, m)
    if kinds[m] == "list" and #m > 0 then
      s[#m] = nil
      m[#m] = nil
    end
  end,
  function(s, m)  -- elements written over others, or behind the last one
    if kinds[m] ~= "list" or #m == 0 then return end
    local from, to = random(#m), random(#m + 1)
    local last = from + random(#m - from + 1) - 1
    if to > from and to <= last then last = math.min(last, from + #m - to) end
    table.move(s, from, last, to)
    table.move(m, from, last, to)
  end,
}

local function size(t)
  local n = 1
  for _, v in pairs(t) do
    if type(v) == "table" then n = n + size(v) end
  end
  return n
end

-- The mirror that a reducer works on.
local function start(s, a)
  model = model or mirror_of(s, "map")
  choices, taken = {}, 0
  for i, choice in ipairs(a.choices) do choices[i] = choice end
  kept_s, kept_m = nil, nil
  return tree_of(model)
end

local function finish(m, changed, a)
  if has_cycle(changed, {}, 0) then
    pending = nil
    error("a cycle")
  end
  pending = tree_of(m)
  if a.fails then error("the end") end
end

function reduce.step(s, a)
  local m = start(s, a)
  if size(m) > 120 then
    for _, k in ipairs({ "k1", "k2", "k3", "k4" }) do s.tree[k], m.tree[k] = nil, nil end
    s.tree.a, m.tree.a = list { 1 }, new("list")
    m.tree.a[1] = 1
    s.tree.b, m.tree.b = map { x = 1 }, new("map")
    m.tree.b.x = 1
    s.tree.x, s.tree.y, m.tree.x, m.tree.y = nil, nil, nil, nil
  end
  for _ = 1, random(a.length) do
    local here, mirror = pick(s.tree, m.tree)
    operations[random(#operations)](here, mirror, s.tree, m.tree, s)
  end
  if random(3) == 1 then
    s.user.name, m.user.name = "u" .. random(3), nil
    m.user.name = s.user.name
  end
  if random(4) == 1 then
    local tags, mirrored_tags = list { "t" .. random(9) }, new("list")
    mirrored_tags[1] = tags[1]
    local address = new("map")
    address.street, address.number = "r", random(2) == 1 and 5 or nil
    s.user = { name = "n", tags = tags, address = { street = "r", number = address.number } }
    m.user = new("map")
    m.user.name, m.user.tags, m.user.address = "n", mirrored_tags, address
  end
  if random(4) == 1 then
    s.user.address.number = s.user.address.number == nil and 3 or nil
    m.user.address.number = s.user.address.number
  end
  finish(m, m.tree, a)
end

local function scalars_in(t)
  local keys = {}
  for k, v in pairs(t) do
    if type(v) ~= "table" then keys[#keys + 1] = k end
  end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  return keys
end

-- Scalars over scalars, and now and then something else among them.
function reduce.overwrite(s, a)
  local m = start(s, a)
  for _ = 1, random(10) do
    local here, mirror = s.tree, m.tree
    if random(4) == 1 then here, mirror = s, m end
    here, mirror = pick(here, mirror)
    local keys = scalars_in(mirror)
    if #keys > 0 then
      local k, v = keys[random(#keys)], scalar()
      here[k], mirror[k] = v, v
    end
    if random(12) == 1 then
      local other, other_mirror = pick(s.tree, m.tree)
      put(other, other_mirror, value(1))
    end
  end
  pending = tree_of(m)
  if a.fails then error("the end") end
end

local LOOSE_KEYS = { 1, 2, 4, -2, "x", "y" }

-- Writes to a table that begins as {}: what is put there first says of which kind it is.
local function put_loosely(s, m, root, mirror)
  -- A table of the script's own is no part of the state before the step has ended.
  if getmetatable(s) == nil then return end
  local k, v, w = LOOSE_KEYS[random(#LOOSE_KEYS)], nil, nil
  local way = random(6)
  if way == 1 then
    v, w = pick(root, mirror)
    -- In two places it would take a kind in each, of which a patch tells one.
    if getmetatable(v) == nil then v, w = nil, nil end
  elseif way == 2 then v, w = 7, 7
  elseif way > 3 then v, w = {}, new("map")
  end
  if way == 6 then
    if pcall(table.insert, s, v) then table.insert(m, w) end
  elseif pcall(function() s[k] = v end) then
    m[k] = w
  end
end

-- Tables of no kind, which become lists or maps.
function reduce.loosen(s, a)
  local m = start(s, a)
  if size(m.loose) > 60 then s.loose, m.loose = map {}, new("map") end
  for _ = 1, random(a.length) do
    local here, mirror = pick(s.loose, m.loose)
    put_loosely(here, mirror, s.loose, m.loose)
  end
  finish(m, m.loose, a)
end

local function difference(s, m, path)
  if type(s) ~= type(m) then return path .. ": " .. type(s) .. " against " .. type(m) end
  if type(s) ~= "table" then
    return (s ~= m or math.type(s) ~= math.type(m)) and path or nil
  end
  for k, v in pairs(m) do
    local found = difference(s[k], v, path .. "." .. tostring(k))
    if found then return found end
  end
  for k in pairs(s) do
    if m[k] == nil then return path .. "." .. tostring(k) .. ": too much" end
  end
end

function gate.check(s)
  if not model then return true end
  local found = difference(s, model, "state")
  return not found, found
end

-- After a step that passed its mirror is the state's.
action.accept {}
function gate.accept(s)
  model = pending
  return true
end

function view.tree(s) return s.tree end
function view.name(s) return s.user.name end
function view.count(s) return #s.tree end

-- These read in other ways, and not the same each time.
local function count_leaves(t)
  local n = 0
  for _, v in pairs(t) do n = n + (type(v) == "table" and count_leaves(v) or 1) end
  return n
end
function view.leaves(s) return count_leaves(s.tree) end
function view.kinds(s)
  local kinds = {}
  for _, k in ipairs(KEYS) do kinds[k] = type(s.tree[k]) .. type(s.tree[k]) end
  return kinds
end
function view.copies(s) return { tree = s.tree, name = view.name() } end
function view.few(s)
  local a = s.tree.a
  if type(a) ~= "table" then return a end
  return #a > 2 and view.kinds().a .. #a or (a[1] == nil and "none" or type(a[1]))
end
function view.address(s) return s.user.name == "u1" and s.user.address.street or s.user.address.number end
function invariant.holds(s)
  for _, v in pairs(s.tree) do
    if type(v) == "table" and #v > 1000 then return false end
  end
  return true
end
