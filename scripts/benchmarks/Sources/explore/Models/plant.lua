-- A plant: robots, each a machine, who fetch parts with a crane that one of them uses at a time, and build with one
-- of two tools. When the store is empty, a lorry comes after a minute and fills it.
local STOCK = 4
local NAMES = { "ann", "ben", "cid", "dot", "eve", "fay", "gus" }

local fields = {
  stock = integer { min = 0, max = STOCK, default = STOCK },
  parts = {},
}
for _, name in ipairs(NAMES) do fields.parts[name] = integer { min = 0, max = 2, default = 0 } end
state(fields)

local crane, tools = {}, {}
for place, name in ipairs(NAMES) do
  crane[name .. "_fetches"], crane[name .. "_has_fetched"] = "attempt", "reset"
  local tool = ({ "drill", "welder", "press" })[place % 3 + 1]
  tools[name .. "_builds"], tools[name .. "_has_built"] = { attempt = tool }, { reset = tool }
end
gatekeeper.crane(crane)
gatekeeper.tools(tools)

action.order {}
internal.comes {}

for _, name in ipairs(NAMES) do
  local fetch, fetched, build, built = name .. "_fetches", name .. "_has_fetched", name .. "_builds", name .. "_has_built"
  action[fetch] {}
  action[fetched] {}
  action[build] {}
  action[built] {}

  machine[name] {
    initial  = "idle",
    idle     = {
      [fetch] = { to = "fetching", when = function(s) return s.parts[name] < 2 and s.stock > 0, "nothing to fetch" end },
      [build] = { to = "building", when = function(s) return s.parts[name] > 0, "no parts" end },
    },
    fetching = {
      [fetched] = { to = "idle", when = function(s) return s.stock > 0, "there is none" end },
    },
    building = { [built] = "idle" },
  }
  reduce[fetched] = function(s)
    s.stock = s.stock - 1
    s.parts[name] = s.parts[name] + 1
  end
  reduce[built] = function(s) s.parts[name] = s.parts[name] - 1 end
end

machine.lorry {
  initial = "away",
  away    = { order = { to = "coming", when = function(s) return s.stock == 0, "there are parts" end } },
  coming  = { after = { comes = 60 }, comes = "away" },
}

function reduce.comes(s) s.stock = STOCK end

function invariant.nobody_builds_of_nothing(s)
  return s.ann ~= "building" or s.parts.ann > 0
end
