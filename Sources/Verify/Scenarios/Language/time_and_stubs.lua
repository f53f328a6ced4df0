-- The rest of the scenario language: time, stubs, and expectations other than those of the state.

local host = host
local words = host.scenario_words
local getmetatable, ipairs, math_type, next, pairs, select, setmetatable, tostring, type, unpack =
  getmetatable, ipairs, math.type, next, pairs, select, setmetatable, tostring, type, table.unpack
local find, format, match = string.find, string.format, string.match
local misuse, must_run = words.misuse, words.must_run

-- A call of a capability without a stub fails the scenario.
host.expects_stubs = true

-- Time -------------------------------------------------------------------------------------------

local function inside(what)
  must_run(what)
  if host.phase() ~= "script" then misuse(what .. " belongs in the scenario itself") end
end

local function settle()
  inside("settle")
  words.has_started()
  host.scenario_settle()
end

local function advance(seconds)
  inside("advance")
  local length, taken = host.seconds(seconds)
  if not length then misuse(format("advance takes %s, not %s", taken, tostring(seconds))) end
  words.has_started()
  host.scenario_advance(length)
end

local function restart()
  inside("restart")
  words.has_started()
  host.scenario_restart()
end

-- Stubs ------------------------------------------------------------------------------------------

local function stub(name, answer)
  must_run("stub")
  if type(name) ~= "string" or not match(name, "^[^.]+%..+$") then
    misuse("stub needs a scope and a capability: stub(\"root.fetch\", function(...) ... end)")
  end
  if type(answer) ~= "function" then
    misuse(format("stub needs a function: stub(%q, function(...) ... end)", name))
  end
  local is_remembered = host.scenario_stub(name)
  -- The stub runs inside the calling effect, with the caller's arguments: it may sleep or raise an error.
  local stubs = host.stubs or {}  -- nil if nothing can call a stub
  host.stubs = stubs
  stubs[name] = is_remembered and host.remembering(name, answer) or answer
end

-- stub.effect.NAME() holds an effect at its first wait. finish.NAME("action", payload) ends it by dispatching that
-- action; finish.NAME("action", payload, own) ends the effect of the action with the payload `own`.
local function held(name)
  inside("stub.effect")
  local problem = host.scenario_hold(name)
  if problem then misuse(problem) end
end

local function finish(name, action, payload, own)
  inside("finish")
  if type(action) ~= "string" and action ~= nil then
    misuse(format("finish.%s needs the name of the action that follows: finish.%s(\"NAME\", { ... })", name, name))
  end
  words.has_started()
  local outcome = host.scenario_finish(name, action, payload == nil and {} or payload, own)
  if outcome.misuse then misuse(outcome.misuse) end
  if outcome.kind ~= "passed" then words.failed("outcome", action or name, "pass", outcome) end
end

local stubs = setmetatable({}, {
  __call = function(_, name, answer) return stub(name, answer) end,
  __index = function(_, word)
    if word ~= "effect" then misuse(format("there is no stub.%s; there is stub.effect.NAME()", tostring(word))) end
    return words.by_name("stub.effect", held)
  end,
  __newindex = function() misuse("stub cannot be changed") end,
  __metatable = false,
})

-- Other expectations -----------------------------------------------------------------------------

local function expectation(kind)
  return words.by_name("expect." .. kind, function(name, ...)
    must_run("expect." .. kind)
    local value = ...
    if select("#", ...) ~= 1 then
      misuse(format("expect.%s.%s needs the expected value", kind, tostring(name)))
    end
    words.compare(kind, tostring(name), value == nil and host.none or value)
  end)
end

-- expect.machine.NAME(state), and for one record's machine expect.machine.NAME[key](state).
local function machine_expectation(name, keys)
  return setmetatable({}, {
    __index = function(_, key)
      local longer = { unpack(keys) }
      longer[#longer + 1] = key
      return machine_expectation(name, longer)
    end,
    __newindex = function() misuse("expect.machine cannot be changed") end,
    __call = function(_, ...)
      must_run("expect.machine")
      local state = ...
      if select("#", ...) ~= 1 then
        misuse(format("expect.machine.%s needs the expected value", tostring(name)))
      end
      words.compare("machine", tostring(name), state == nil and host.none or state, keys)
    end,
    __metatable = false,
  })
end

words.expect("machine", setmetatable({}, {
  __index = function(_, name) return machine_expectation(name, {}) end,
  __newindex = function() misuse("expect.machine cannot be changed") end,
  __call = function()
    misuse("expect.machine is followed by a name: expect.machine.NAME(...) or "
      .. "expect.machine[\"NAME\"](...)")
  end,
  __metatable = false,
}))
words.expect("gatekeeper", expectation("gatekeeper"))
words.expect("scope", expectation("scope"))

-- An effect that has ended by a fault or an unhandled error, and a part of its message.
words.expect("fault", words.by_name("expect.fault", function(name, text)
  must_run("expect.fault")
  words.compare("fault", tostring(name), text == nil and host.none or text)
end))

words.expect("effects", setmetatable({}, {
  __index = function(_, name)
    if name ~= "none" then misuse(format("there is no expect.effects.%s; use none()", tostring(name))) end
    return function()
      must_run("expect.effects.none")
      words.compare("effects", "none", host.none)
    end
  end,
  __metatable = false,
}))

-- Compares a value with its stored snapshot; without a value, the dispatches of the scenario so far.
words.expect("snapshot", function(name, ...)
  must_run("expect.snapshot")
  local count = select("#", ...)
  if type(name) ~= "string" or count > 1 then
    misuse("expect.snapshot needs a name and a value: expect.snapshot(\"name\", view.rows())")
  end
  local value = ...
  words.compare("snapshot", name, count == 1, value)
end)

-- The last refusal of a queued action with this name.
words.expect("refused", words.by_name("expect.refused", function(name)
  must_run("expect.refused")
  name = tostring(name)
  local outcome = host.scenario_refused(name)
  if outcome.kind == "undeclared" then misuse(outcome.text) end
  if outcome.kind ~= "refused" then
    words.failed("outcome", name, "be refused from the queue", outcome)
  end
  return words.answer(name, outcome)
end))

-- Versions ---------------------------------------------------------------------------------------

local MIGRATES = { version = true, from = true, to = true, timers = true }

-- Returns the seconds of a time, or of each time in a list.
local function due(action, time)
  if type(time) == "table" then
    local times = {}
    for place, each in ipairs(time) do times[place] = due(action, each) end
    return host.set_mark(times, "list")
  end
  local seconds, taken = host.seconds(time)
  if not seconds then
    misuse(format("expect.migrates: timers.%s takes %s, not %s", tostring(action), taken, tostring(time)))
  end
  return math.tointeger(seconds) or seconds
end

local function due_times(timers)
  if timers == nil then return host.none end
  if type(timers) ~= "table" then
    misuse("expect.migrates: timers must say when actions are due then: timers = { expire = \"3d\" }")
  end
  local times = {}
  for action, time in pairs(timers) do times[tostring(action)] = due(action, time) end
  return host.set_mark(times, "map")
end

-- Migrates a state of an earlier version, separately from the scenario's own host.
words.expect("migrates", function(asked)
  words.must_be_fields(asked, "expect.migrates")
  for option in pairs(asked) do
    if not MIGRATES[option] then
      misuse(format("expect.migrates has no %s%s (it takes version, from, to, timers)", tostring(option),
        host.nearest(tostring(option), MIGRATES)))
    end
  end
  local version = asked.version == nil and 0 or asked.version
  if math_type(version) ~= "integer" or asked.version and version < 1 then
    misuse("expect.migrates: version must be the number of the earlier version, at least 1")
  end
  if type(asked.from) ~= "table" then
    misuse("expect.migrates needs the state of the earlier version: from = { field = value }")
  end
  local to = asked.to == nil and {} or asked.to
  if type(to) ~= "table" then misuse("expect.migrates: to must be a table of fields: to = { field = value }") end
  to = words.plain(to, "expect.migrates: to")
  words.check_fields(host.root(), to)
  words.compare("migrates", to, words.plain(asked.from, "expect.migrates: from"), version,
    due_times(asked.timers))
end)

-- given ------------------------------------------------------------------------------------------

-- Returns a copy of the part, whose tables are marked as maps where the state (`node`) has maps, since a map may have
-- the keys 1 to n. A table whose keys have no fixed order is left to the check.
local function with_maps(part, node, above)
  if type(part) ~= "table" or host.kind(part) ~= "plain" or above[part] then return part end
  local mark = host.mark(part)
  if not mark and getmetatable(part) ~= nil or not host.protect(pairs, part) then return part end
  local copy = {}
  above[part] = true
  for key, value in pairs(part) do
    local there, below = host.protect(function() return node[key] end)
    copy[key] = with_maps(value, there and below or nil, above)
  end
  above[part] = nil
  if not mark and host.mark(node) == "map" and math_type((next(part))) == "integer" then mark = "map" end
  return mark and host.set_mark(copy, mark) or copy
end

-- Rejects paths as keys of `given`: it merges tables, and only expectations take paths.
local function check_keys(part, node)
  for key in pairs(part) do
    local steps = type(key) == "string" and find(key, "[%.%[]") and host.scenario_path(key)
    local there, own = host.protect(function() return node[key] end)
    if steps and steps[2] and not (there and own ~= nil) then
      local table = "..."
      for place = #steps, 2, -1 do
        local step = steps[place]
        local is_name = type(step) == "string" and match(step, "^[%a_][%w_]*$")
        table = format(is_name and "{ %s = %s }" or "{ [%q] = %s }", step, table)
      end
      misuse(format("given takes tables, not the path %s: write %s = %s", key, steps[1], table))
    end
  end
end

local function given(part)
  words.before_start("given")
  words.must_be_fields(part, "given")
  check_keys(part, host.root())
  part = with_maps(part, host.root(), {})
  local fine, mistake = host.protect(host.scenario_plain, part)
  if not fine then misuse("given: " .. mistake) end
  words.check_fields(host.root(), part)
  local problem = host.scenario_given(part)
  if problem then misuse("given: " .. problem) end
end

-- Sets the next results of random() and random(m, n), in order; after them the generator continues.
local function given_random(draws)
  inside("given.random")
  if type(draws) ~= "table" or not host.protect(ipairs, draws) then
    misuse("given.random needs the numbers that are drawn: given.random { 3, 1 }")
  end
  local list = {}
  for _, number in ipairs(draws) do
    if type(number) ~= "number" then misuse("given.random takes numbers, not a " .. type(number)) end
    list[#list + 1] = number
  end
  host.scenario_random(host.set_mark(list, "list"))
end

-- Sets the birth of the case, a time as in RFC 3339: the wall clock starts there, and advances with now().
local function given_born(time)
  words.before_start("given.born")
  if type(time) ~= "string" then
    misuse(format("given.born needs a string: given.born(\"2026-11-27T10:00:00Z\"), not %s", tostring(time)))
  end
  local problem = host.scenario_born(time)
  if problem then misuse(problem) end
end

local given_gatekeeper = words.by_name("given.gatekeeper", function(name, options)
  words.before_start("given.gatekeeper")
  local problem = host.scenario_given_gatekeeper(tostring(name), options)
  if problem then misuse(problem) end
end)

local GIVEN = { gatekeeper = given_gatekeeper, random = given_random, born = given_born }

words.set("given", setmetatable({}, {
  __call = function(_, part) return given(part) end,
  __index = function(_, name)
    if GIVEN[name] then return GIVEN[name] end
    misuse(format("there is no given.%s%s", tostring(name), host.nearest(tostring(name), GIVEN)))
  end,
  __metatable = false,
}))

words.set("settle", settle)
words.set("restart", restart)
words.set("advance", advance)
words.set("stub", stubs)
words.set("finish", words.by_name("finish", finish))
words.set("may", host.global("may"))
words.set("gatekeeper", host.global("gatekeeper"))
words.set("now", host.global("now"))
words.set("born", host.global("born"))
words.set("sleep", host.global("sleep"))
