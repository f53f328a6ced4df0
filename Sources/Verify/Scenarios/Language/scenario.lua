-- The scenario language. It runs in the flow's VM, in its own environment, and calls Swift (`host.scenario_*`) to
-- dispatch and to compare. A failed expectation ends its scenario.

local host = host
local declaring = host.declaring
local here, fault, misuse = declaring.here, declaring.fault, declaring.misuse
local error, ipairs, next, pairs, select, setmetatable, tostring, type =
  error, ipairs, next, pairs, select, setmetatable, tostring, type
local find, format = string.find, string.format

-- The descriptions for the host, the line of each scenario by its name, and the functions that run later.
local described, lines = {}, {}
local bodies, quiet, before, after = {}, {}, {}, {}
local count = 0
local is_known = false  -- the file has run before: its declarations are known and valid
local running = false  -- inside a scenario
local started = false  -- the scenario has dispatched
local FAILED = { message = "an expectation failed" }  -- what a failed expectation raises

local function must_run(what)
  if not running then misuse(what .. " belongs inside a scenario") end
end

local function must_declare(what)
  if running then misuse(what .. " must be outside of scenarios, at the top of the file") end
end

local function must_be_own(what) declaring.must_be_own(what, "scenario") end

local function failed(kind, ...)
  host.scenario_failed(kind, here(), ...)
  error(FAILED, 0)
end

-- Declarations -----------------------------------------------------------------------------------

local function flow(path)
  must_declare("flow")
  must_be_own("flow")
  declaring.flow(path)
end

local NO_OPTIONS = {}
local OPTIONS = { tags = true, skip = true, effects = true }

local function check_options(name, options)
  for option in pairs(options) do
    if not OPTIONS[option] then
      fault(format("scenario %q: there is no option %s%s (it takes tags, skip, effects)", name,
        tostring(option), host.nearest(tostring(option), OPTIONS)))
    end
  end
  if options.effects ~= nil and type(options.effects) ~= "boolean" then
    fault(format("scenario %q: effects must be true or false; false turns effects and timers off", name))
  end
  if options.skip and type(options.skip) ~= "string" then
    fault(format("scenario %q: skip must be the reason in words: skip = \"why\"", name))
  end
end

local function tags_of(name, options)
  local tags = {}
  if options.tags == nil then return tags end
  local fine = type(options.tags) == "table"
  if fine then
    for key, tag in pairs(options.tags) do
      tags[#tags + 1] = tag
      fine = fine and math.type(key) == "integer" and type(tag) == "string"
    end
  end
  if fine then return tags end
  fault(format("scenario %q: tags must be a list of words: tags = { \"slow\" }", name))
  return {}
end

-- Records a scenario, and adds its faults.
local function describe(name, options, body)
  must_be_own("a scenario")
  if type(name) ~= "string" or name == "" then
    return fault("a scenario needs a name: scenario(\"what holds\", function() ... end)")
  end
  if type(body) ~= "function" or type(options) ~= "table" then
    return fault(format("scenario %q needs a function: scenario(%q, function() ... end)", name, name))
  end
  check_options(name, options)
  local line = here().line
  if lines[name] then
    fault(format("two scenarios are named %q: here and at line %d", name, lines[name]))
  else
    lines[name] = line
  end
  local _, _, last = host.where_defined(body)
  described[#described + 1] = {
    name = name, line = line, last_line = last,
    tags = host.set_mark(tags_of(name, options), "list"),
    skip = options.skip and tostring(options.skip) or nil,
  }
  return true
end

local function scenario(name, options, body)
  if running then misuse("a scenario cannot be inside another one") end
  if type(options) == "function" and body == nil then options, body = NO_OPTIONS, options end
  if not is_known and not describe(name, options, body) then return end
  count = count + 1
  bodies[count] = body
  if options.effects == false then quiet[count] = true end
end

local function each(kept, what)
  return function(body)
    must_declare(what)
    if type(body) ~= "function" then
      return fault(format("%s needs a function: %s(function() ... end)", what, what))
    end
    kept[#kept + 1] = body
  end
end

-- Dispatching ------------------------------------------------------------------------------------

local function by_name(kind, call)
  return setmetatable({}, {
    __index = function(_, name) return function(...) return call(name, ...) end end,
    __newindex = function() misuse(kind .. " cannot be changed") end,
    __call = function()
      misuse(format("%s is followed by a name: %s.NAME(...) or %s[\"NAME\"](...)", kind, kind, kind))
    end,
    __metatable = false,
  })
end

-- Dispatches an action. A payload that is not plain data never reaches the flow, and fails like an invalid one. The
-- outcome is `true` if the action had to pass and has passed.
local function dispatch_action(name, payload, wanted, is_inside)
  must_run("a dispatch")
  if host.phase() ~= "script" then
    misuse("only the scenario itself can dispatch, not a stub or an effect")
  end
  if type(name) ~= "string" then
    misuse("dispatch needs the name of an action: dispatch(\"NAME\", { ... })")
  end
  started = true
  if payload == nil then payload = {} end
  local plain, outcome = host.protect(host.scenario_dispatch, name, payload, wanted,
    is_inside)
  if plain then return outcome end
  return host.scenario_undispatched(name, outcome)
end

-- The dispatcher of the actions in a function, which the flow reads with `by()`.
local speaker

local function as(who, body)
  must_run("as")
  if type(who) ~= "string" or type(body) ~= "function" then
    misuse("as needs a name and a function: as(\"ann\", function() pass.approve() end)")
  end
  local before = speaker
  speaker = who
  host.scenario_as(who)
  body()
  speaker = before
  host.scenario_as(before)
end

-- The methods of the object that refuse and fail return.
local questions = {}

function questions.because(name, outcome, text)
  if not find(outcome.reason or "", text, 1, true) then failed("because", name, text, outcome) end
end

function questions.by(name, outcome, who)
  if outcome.by ~= who then failed("by", name, who, outcome) end
end

local function answer(name, outcome)
  local asked = {}
  return setmetatable(asked, {
    __index = function(_, word)
      local question = questions[word]
      if not question then
        misuse(format("there is no :%s(...)%s", tostring(word),
          host.nearest(tostring(word), questions)))
      end
      return function(object, text)
        if object ~= asked or type(text) ~= "string" then
          misuse(format("write :%s(\"text\"), with a colon and a string", word))
        end
        question(name, outcome, text)
        return asked
      end
    end,
    __newindex = function() misuse("an outcome cannot be changed") end,
    __metatable = false,
  })
end

local function required(kind, verb, word)
  return by_name(word, function(name, payload)
    local outcome = dispatch_action(name, payload, kind, word == "inside")
    if outcome == true then return end
    if outcome.kind ~= kind then failed("outcome", name, verb, outcome) end
    if kind ~= "passed" then return answer(name, outcome) end
  end)
end

local pass = required("passed", "pass", "pass")
local inside = required("passed", "pass", "inside")
local refuse = required("refused", "be refused", "refuse")
local fail = required("failed", "fail", "fail")

-- Expectations -----------------------------------------------------------------------------------

-- Reads every field that an expectation names, so that an undeclared field is reported at its line, with the most
-- similar name.
local check_fields

local function check_field(node, key, value)
  local path = type(key) == "string" and find(key, "[%.%[]") and host.scenario_path(key)
  if path then
    -- A field with exactly this name, as in a map of file names, comes first.
    local there, own = host.protect(function() return node[key] end)
    if there and own ~= nil then return check_fields(own, value) end
    local reached = node
    for _, step in ipairs(path) do
      if type(reached) ~= "table" then return end
      reached = reached[step]
    end
    return
  end
  check_fields(node[key], value)
end

check_fields = function(node, part)
  if type(part) ~= "table" or type(node) ~= "table" or #part > 0 then return end
  if part["\0matcher"] then return end
  for key, value in pairs(part) do check_field(node, key, value) end
end

-- Returns an expected value; raises an error if it is not plain data.
local function plain(part, what)
  local fine, problem = host.protect(host.scenario_plain, part)
  if not fine then misuse(format("%s: %s", what, problem)) end
  return part
end

local function must_be_fields(part, what)
  must_run(what)
  if type(part) ~= "table" or #part > 0 then
    misuse(format("%s needs a table of fields: %s { field = value }", what, what))
  end
end

local function checked(part, what)
  must_be_fields(part, what)
  part = plain(part, what)
  check_fields(host.root(), part)
  return part
end

local function compare(kind, ...)
  if not host.scenario_compare(kind, here(), ...) then error(FAILED, 0) end
end

local expect
expect = setmetatable({
  state = function(whole) compare("state", checked(whole, "expect.state")) end,
  change = function(leaves) compare("change", checked(leaves, "expect.change")) end,
  view = by_name("expect.view", function(name, ...)
    must_run("expect.view")
    if select("#", ...) ~= 1 then
      misuse(format("expect.view.%s needs the expected value", tostring(name)))
    end
    local value = ...
    value = plain(value, format("expect.view.%s", tostring(name)))
    if value == nil then value = host.none end
    compare("view", name, value)
  end),
}, {
  __call = function(_, part) compare("part", checked(part, "expect")) end,
  __index = function(_, name)
    misuse(format("there is no expect.%s%s", tostring(name), host.nearest(tostring(name), expect)))
  end,
  __newindex = function() misuse("expect cannot be changed") end,
  __metatable = false,
})

-- dispatch("NAME", payload) and dispatch.NAME(payload), as in effects.
local dispatch = setmetatable({}, {
  __index = function(_, name) return function(payload) return dispatch_action(name, payload) end end,
  __newindex = function() misuse("dispatch cannot be changed") end,
  __call = function(_, name, payload) return dispatch_action(name, payload) end,
  __metatable = false,
})

-- Raises an error with advice for some undefined names.
local function meant(name)
  if name == "s" or name == "state" then
    misuse(format("global %s is not defined; a scenario sees the state through "
      .. "expect { field = value } and view.NAME()", name))
  end
  if running and host.scenario_is_action(tostring(name)) then
    misuse(format("global %s is not defined; dispatch an action with pass.%s(...), refuse.%s(...) "
      .. "or fail.%s(...)", name, name, name, name))
  end
end

local environment, names = host.new_environment({
  flow = flow, scenario = scenario, before_each = each(before, "before_each"),
  after_each = each(after, "after_each"), pass = pass, inside = inside, refuse = refuse, fail = fail,
  dispatch = dispatch, expect = expect, as = as,
}, meant)

-- For the files that add to the language.
host.scenario_words = {
  is_running = function() return running end, plain = plain,
  must_run = must_run, must_be_fields = must_be_fields, check_fields = check_fields,
  misuse = misuse, compare = compare, by_name = by_name, answer = answer,
  failed = failed,
  has_started = function() started = true end,
  before_start = function(what)
    must_run(what)
    if started then misuse(what .. " must come before the first action") end
  end,
  expect = function(word, value) host.rawset(expect, word, value) end,
  set = function(word, value) host.rawset(names, word, value) end,
}
declaring.environment, declaring.set = environment, host.scenario_words.set

-- The host's side --------------------------------------------------------------------------------

-- Runs the file. Returns its declarations unless they are known; an error that the file raises is left to the caller.
function host.scenario_file(text, file, known)
  is_known = known
  local said = declaring.run(text, file, environment)
  said.scenarios, said.clean_ups = host.set_mark(described, "list"), #after
  described, lines = nil, nil
  return said
end

-- Runs one scenario, after the before_each functions. Errors are not caught here, so that they keep their traceback;
-- Swift calls the after_each functions in any case.
function host.scenario_run(index)
  running, started = true, false
  if quiet[index] then host.scenario_quiet() end
  for _, body in ipairs(before) do body() end
  bodies[index]()
end

function host.scenario_after(number)
  speaker = nil
  host.scenario_as()
  after[number]()
end
