-- The scenario language. It runs in the flow's VM, in an environment of its own, and asks Swift
-- (`host.scenario_*`) to dispatch and to compare; a failed expectation ends its scenario.

local host = host
local error, ipairs, pairs, setmetatable, tostring, type =
  error, ipairs, pairs, setmetatable, tostring, type
local format, gmatch, match, sub = string.format, string.gmatch, string.match, string.sub

local scenarios, before, after = {}, {}, {}
local flow_path, flow_place
local faults = {}
local running = false  -- inside a scenario
local started = false  -- the scenario has dispatched
local FAILED = {}      -- what a failed expectation raises

local function here()
  local file, line = host.where()
  return { file = file or "", line = line or 0 }
end

local function fault(message)
  local place = here()
  place.message = message
  faults[#faults + 1] = place
end

-- A mistake in the scenario itself, told at the line that made it.
local function misuse(message)
  local place = here()
  error(format("%s:%d: %s", place.file, place.line, message), 0)
end

local function must_run(what)
  if not running then misuse(what .. " belongs inside a scenario") end
end

local function failed(kind, ...)
  host.scenario_failed(kind, here(), ...)
  error(FAILED, 0)
end

-- Declarations -----------------------------------------------------------------------------------

local function flow(path)
  if type(path) ~= "string" then return fault("flow takes the flow's file: flow \"name.lua\"") end
  if flow_path then return fault(format("the flow is named twice: here and at line %d", flow_place.line)) end
  flow_path, flow_place = path, here()
end

local OPTIONS = { tags = true, skip = true }

local function scenario(name, options, body)
  if running then misuse("a scenario cannot stand inside another") end
  if type(options) == "function" and body == nil then options, body = {}, options end
  if type(name) ~= "string" or name == "" then return fault("a scenario has a name") end
  if type(body) ~= "function" or type(options) ~= "table" then
    return fault(format("scenario %q needs a function: scenario(%q, function() ... end)", name, name))
  end
  for option in pairs(options) do
    if not OPTIONS[option] then
      fault(format("scenario %q: there is no option %s (it takes tags, skip)", name,
        tostring(option)))
    end
  end
  local place = here()
  for _, other in ipairs(scenarios) do
    if other.name == name then
      fault(format("two scenarios are named %q: here and at line %d", name, other.line))
    end
  end
  local tags = {}
  for _, tag in ipairs(options.tags or {}) do tags[#tags + 1] = tostring(tag) end
  local _, _, last = host.where_defined(body)
  scenarios[#scenarios + 1] = {
    name = name, line = place.line, last_line = last, tags = host.set_mark(tags, "list"),
    skip = options.skip and tostring(options.skip) or nil, body = body,
  }
end

local function each(kept, what)
  return function(body)
    if type(body) ~= "function" then return fault(what .. " takes a function") end
    kept[#kept + 1] = body
  end
end

-- Dispatching ------------------------------------------------------------------------------------

local function by_name(kind, call)
  return setmetatable({}, {
    __index = function(_, name) return function(...) return call(name, ...) end end,
    __newindex = function() misuse(kind .. " cannot be changed") end,
    __metatable = false,
  })
end

local function offer(name, payload)
  must_run("a dispatch")
  started = true
  if type(name) ~= "string" then misuse("an action's name is a text") end
  return host.scenario_dispatch(name, payload == nil and {} or payload)
end

local pass = by_name("pass", function(name, payload)
  local outcome = offer(name, payload)
  if outcome.kind ~= "passed" then failed("outcome", name, "pass", outcome) end
end)

-- What refuse and fail return: an object to ask further.
local function answer(name, outcome)
  local asked = {}
  function asked:because(text)
    if not string.find(outcome.reason or "", tostring(text), 1, true) then
      failed("because", name, tostring(text), outcome)
    end
    return self
  end
  function asked:by(who)
    if outcome.by ~= who then failed("by", name, tostring(who), outcome) end
    return self
  end
  return asked
end

local refuse = by_name("refuse", function(name, payload)
  local outcome = offer(name, payload)
  if outcome.kind ~= "refused" then failed("outcome", name, "be refused", outcome) end
  return answer(name, outcome)
end)

local fail = by_name("fail", function(name, payload)
  local outcome = offer(name, payload)
  if outcome.kind ~= "failed" then failed("outcome", name, "fail", outcome) end
  return answer(name, outcome)
end)

-- Expectations -----------------------------------------------------------------------------------

-- The keys of a path as reports print it, such as rows[1].note; nil for what is no path.
local function parse_path(text)
  local keys, rest = {}, text
  while rest ~= "" do
    local name, after_name = match(rest, "^%.?([%a_][%w_]*)(.*)$")
    local index, after_index = match(rest, "^%[(%-?%d+)%](.*)$")
    local quoted, after_quoted = match(rest, "^%[\"(.-)\"%](.*)$")
    if index then
      keys[#keys + 1], rest = math.tointeger(index), after_index
    elseif quoted then
      keys[#keys + 1], rest = quoted, after_quoted
    elseif name and (sub(rest, 1, 1) == "." or #keys == 0) then
      keys[#keys + 1], rest = name, after_name
    else
      return nil
    end
  end
  return keys
end

-- Reads every field that an expectation names, so that one which the state does not declare is
-- reported at its line, with the nearest name.
local check_fields

local function check_field(node, key, value)
  if type(key) == "string" and match(key, "[%.%[]") and parse_path(key) then
    local reached = node
    for _, step in ipairs(parse_path(key)) do
      if type(reached) ~= "table" then return end
      reached = reached[step]
    end
    return
  end
  check_fields(node[key], value)
end

check_fields = function(node, part)
  if type(part) ~= "table" or type(node) ~= "table" or #part > 0 then return end
  for key, value in pairs(part) do check_field(node, key, value) end
end

local function checked(part, what)
  must_run(what)
  if type(part) ~= "table" then misuse(what .. " takes a table of fields") end
  check_fields(host.root(), part)
  return part
end

local function compare(kind, ...)
  if not host.scenario_compare(kind, here(), ...) then error(FAILED, 0) end
end

local expect = setmetatable({
  state = function(whole) compare("state", checked(whole, "expect.state")) end,
  change = function(leaves) compare("change", checked(leaves, "expect.change")) end,
  view = by_name("expect.view", function(name, ...)
    must_run("expect.view")
    if select("#", ...) ~= 1 then misuse(format("expect.view.%s takes the expected value", name)) end
    local value = ...
    compare("view", name, value == nil and host.none or value)
  end),
}, {
  __call = function(_, part) compare("part", checked(part, "expect")) end,
  __index = function(_, name) misuse(format("there is no expect.%s", tostring(name))) end,
  __newindex = function() misuse("expect cannot be changed") end,
  __metatable = false,
})

local function given(part)
  must_run("given")
  if started then misuse("given comes before the first action") end
  if type(part) ~= "table" then misuse("given takes a table of fields") end
  check_fields(host.root(), part)
  local problem = host.scenario_given(part)
  if problem then misuse(problem) end
end

local environment = host.new_environment({
  flow = flow, scenario = scenario, before_each = each(before, "before_each"),
  after_each = each(after, "after_each"), pass = pass, refuse = refuse, fail = fail,
  dispatch = function(name, payload) return offer(name, payload) end,
  expect = expect, given = given,
})

-- The host's side --------------------------------------------------------------------------------

-- Runs the file. Returns what it declares, or the fault that ended it.
function host.scenario_file(text, file)
  local chunk, message = host.compile(text, file, environment)
  if not chunk then
    local at, line, rest = match(message, "^(.-):(%d+): (.*)$")
    return { faults = { { file = at or file, line = math.tointeger(line) or 0,
      message = rest or message } } }
  end
  chunk()
  local described = {}
  for index, each_scenario in ipairs(scenarios) do
    described[index] = { name = each_scenario.name, line = each_scenario.line,
      last_line = each_scenario.last_line, tags = each_scenario.tags, skip = each_scenario.skip }
  end
  return { flow = flow_path, faults = host.set_mark(faults, "list"),
    scenarios = host.set_mark(described, "list") }
end

local function guarded(body)
  local fine, problem = host.protect(body)
  return fine, problem
end

-- Runs one scenario with what stands around it. What the scenario raised is raised again at the
-- end, unless it was a failed expectation, which Swift knows already.
function host.scenario_run(index)
  running, started = true, false
  local fine, problem = true, nil
  for _, body in ipairs(before) do
    if fine then fine, problem = guarded(body) end
  end
  if fine then fine, problem = guarded(scenarios[index].body) end
  for _, body in ipairs(after) do
    local clean, trouble = guarded(body)
    if fine and not clean then fine, problem = clean, trouble end
  end
  running = false
  if not fine and problem ~= FAILED then error(problem, 0) end
end
