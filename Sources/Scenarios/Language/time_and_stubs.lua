-- The rest of the scenario language: time, stubs, and what stands beside the state.

local host = host
local words = host.scenario_words
local error, ipairs, pairs, select, setmetatable, tostring, type =
  error, ipairs, pairs, select, setmetatable, tostring, type
local format, match = string.format, string.match
local misuse, must_run = words.misuse, words.must_run

-- A capability that no scenario has stubbed fails the scenario by name.
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

-- Stubs ------------------------------------------------------------------------------------------

local function stub(name, answer)
  must_run("stub")
  if type(name) ~= "string" or not match(name, "^[^.]+%..+$") then
    misuse("stub names a scope and a capability: stub(\"root.fetch\", function(...) ... end)")
  end
  if type(answer) ~= "function" then
    misuse(format("stub takes a function: stub(%q, function(...) ... end)", name))
  end
  host.scenario_stub(name)
  -- The caller's arguments arrive as they are, inside the calling effect: it may sleep or raise.
  local stubs = host.stubs or {}  -- none where nothing could call one
  host.stubs = stubs
  stubs[name] = answer
end

-- What stands beside the state -------------------------------------------------------------------

local function expectation(kind)
  return words.by_name("expect." .. kind, function(name, ...)
    must_run("expect." .. kind)
    local value = ...
    if select("#", ...) ~= 1 then
      misuse(format("expect.%s.%s takes what is expected", kind, tostring(name)))
    end
    words.compare(kind, tostring(name), value == nil and host.none or value)
  end)
end

words.expect("machine", expectation("machine"))
words.expect("gatekeeper", expectation("gatekeeper"))
words.expect("scope", expectation("scope"))

words.expect("effects", setmetatable({}, {
  __index = function(_, name)
    if name ~= "none" then misuse(format("there is no expect.effects.%s; ask none()", tostring(name))) end
    return function()
      must_run("expect.effects.none")
      words.compare("effects", "none", host.none)
    end
  end,
  __metatable = false,
}))

-- A value, or without one what the scenario has dispatched so far, as it was before.
words.expect("snapshot", function(name, ...)
  must_run("expect.snapshot")
  local count = select("#", ...)
  if type(name) ~= "string" or count > 1 then
    misuse("expect.snapshot takes a name and a value: expect.snapshot(\"name\", view.rows())")
  end
  local value = ...
  words.compare("snapshot", name, count == 1, value)
end)

-- The last action from the queue that was refused, under this name.
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

-- given ------------------------------------------------------------------------------------------

local given_gatekeeper = words.by_name("given.gatekeeper", function(name, options)
  words.before_start("given.gatekeeper")
  local problem = host.scenario_given_gatekeeper(tostring(name), options)
  if problem then misuse(problem) end
end)

words.set("given", setmetatable({ gatekeeper = given_gatekeeper }, {
  __call = function(_, part) return words.given(part) end,
  __index = function(_, name) misuse(format("there is no given.%s", tostring(name))) end,
  __metatable = false,
}))

words.set("settle", settle)
words.set("advance", advance)
words.set("stub", stub)
words.set("may", host.global("may"))
words.set("gatekeeper", host.global("gatekeeper"))
words.set("now", host.global("now"))
words.set("born", host.global("born"))
words.set("sleep", host.global("sleep"))
