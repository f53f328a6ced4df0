-- A breadth-first search in plain Lua over the text of a flow without machines: what one would write by hand. A state is
-- copied for each action and printed as a key.
--
--   lua naive.lua FLOW
local sort, concat, tostring, pairs, type = table.sort, table.concat, tostring, pairs, type

local actions, gates, reducers, invariants, initial = {}, {}, {}, {}, nil
local function into(t)
  return setmetatable({}, { __newindex = function(_, name, value) t[name] = value end })
end
local function same(t) return t end

local environment = setmetatable({
  state     = function(t) initial = t end,
  list      = same,
  map       = same,
  integer   = function(t)
    local values = {}
    for i = t.min, t.max do values[#values + 1] = i end
    return values
  end,
  one_of    = same,
  action    = setmetatable({}, { __index = function(_, name)
    return function(fields) actions[#actions + 1] = { name = name, fields = fields } end
  end }),
  gate      = into(gates),
  reduce    = into(reducers),
  invariant = into(invariants),
}, { __index = _G })
assert(loadfile(arg[1], "t", environment))()

local moves = {}
for _, action in pairs(actions) do
  local payloads = { {} }
  for field, values in pairs(action.fields) do
    local more = {}
    for _, payload in pairs(payloads) do
      for _, value in pairs(values) do
        local copy = { [field] = value }
        for k, v in pairs(payload) do copy[k] = v end
        more[#more + 1] = copy
      end
    end
    payloads = more
  end
  for _, payload in pairs(payloads) do
    moves[#moves + 1] = { gates[action.name], reducers[action.name], payload }
  end
end

local function copy(value)
  if type(value) ~= "table" then return value end
  local new = {}
  for k, v in pairs(value) do new[k] = copy(v) end
  return new
end

local function key(value)
  if type(value) ~= "table" then return tostring(value) end
  local parts = {}
  for k, v in pairs(value) do parts[#parts + 1] = tostring(k) .. "=" .. key(v) end
  sort(parts)
  return "{" .. concat(parts, ",") .. "}"
end

local seen, queue, first = { [key(initial)] = true }, { initial }, 1
while queue[first] do
  local state = queue[first]
  queue[first] = false
  first = first + 1
  for _, move in pairs(moves) do
    local gate, reduce, payload = move[1], move[2], move[3]
    if not gate or gate(state, payload) then
      local next = copy(state)
      reduce(next, payload)
      local known = key(next)
      if not seen[known] then
        for name, holds in pairs(invariants) do assert(holds(next), name) end
        seen[known] = true
        queue[#queue + 1] = next
      end
    end
  end
end
print(first - 1)
