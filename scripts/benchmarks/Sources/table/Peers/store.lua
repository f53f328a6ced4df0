-- A store by hand in plain Lua, for LuaJIT: gate rules and reducers by the names of actions, on raw tables. Nothing is
-- checked, limited or rolled back. Prints the least nanoseconds for one dispatch, of several rounds, the first of which
-- warm up.
--
--   luajit store.lua

--- Dispatches an action `count` times in each of `rounds`, and returns the least time of one.
local function measure(store, actions, count, rounds)
  local best = math.huge
  local gates, reducers, state = store.gates, store.reducers, store.state
  for _ = 1, rounds do
    local begin = os.clock()
    for i = 1, count do
      local action = actions[i % #actions + 1]
      local name = action.name
      if not gates[name](state, action) then error("refused by " .. name) end
      reducers[name](state, action)
    end
    best = math.min(best, (os.clock() - begin) * 1e9 / count)
  end
  return best
end

local function passes() return true end

local measurements = {}

function measurements.counter()
  local state = { count = 0 }
  local best = measure({
    state = state,
    gates = { increment = function(s) return s.count >= 0, "the count is negative" end },
    reducers = { increment = function(s) s.count = s.count + 1 end },
  }, { { name = "increment" } }, 100000, 100)
  assert(state.count == 10000000, "it has not counted")
  return best
end

function measurements.machine()
  local state = { side = "left", count = 0 }
  local function fine(s) return s.count >= 0 end
  local transitions = {
    left = { flip = { to = "right", when = fine } }, right = { flip = { to = "left", when = fine } },
  }
  local best = measure({
    state = state,
    gates = {
      flip = function(s, a)
        local transition = transitions[s.side][a.name]
        return transition ~= nil and transition.when(s)
      end,
    },
    reducers = {
      flip = function(s, a)
        s.side = transitions[s.side][a.name].to
        s.count = s.count + 1
      end,
    },
  }, { { name = "flip" } }, 100000, 100)
  assert(state.count == 10000000 and state.side == "left", "it has not counted")
  return best
end

function measurements.tick()
  local state = { entities = {} }
  for i = 1, 500 do state.entities[i] = { x = i, y = i + 0.5, dx = 0.5, dy = 1.5, hp = 100 } end
  local best = measure({
    state = state,
    gates = { tick = passes },
    reducers = {
      tick = function(s)
        for _, e in ipairs(s.entities) do
          e.x = e.x + e.dx
          e.y = e.y + e.dy
        end
      end,
    },
  }, { { name = "tick" } }, 1000, 100)
  assert(state.entities[500].x == 500 + 0.5 * 100000, "the world has not moved")
  return best
end

function measurements.order()
  local state = { lines = {}, total = 0 }
  for i = 1, 200 do state.lines[i] = { sku = "s" .. i, qty = i % 7 + 1, cents = 100 + i } end
  local best = measure({
    state = state,
    gates = { change = passes },
    reducers = {
      change = function(s)
        local total = 0
        for _, line in ipairs(s.lines) do total = total + line.qty * line.cents end
        s.lines[3].qty = s.lines[3].qty % 9 + 1
        s.total = total
      end,
    },
  }, { { name = "change" } }, 1000, 100)
  assert(state.total > 0, "it has not added up")
  return best
end

for name, body in pairs(measurements) do io.write(name, " ", body(), "\n") end
io.write("version ", jit and jit.version or _VERSION, "\n")
