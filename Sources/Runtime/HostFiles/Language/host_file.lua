-- The language of host files: which capabilities the host provides, and who performs each.
--
-- A mistake becomes a fault with its place, so that loading reports all of them at once.

local host = host
local language = host.language
local fault, list = language.fault, language.list
local error, ipairs, pairs, setmetatable, sort, tostring, type =
  error, ipairs, pairs, setmetatable, table.sort, tostring, type
local find, format = string.find, string.format

local options_of = language.capabilities
local performers, functions = options_of.performers, options_of.functions

-- The words of flows, which a host file does not have.
local FLOW_WORDS = { "action", "effect", "flow_name", "gate", "gatekeeper", "internal", "invariant", "machine",
  "migrate", "reduce", "scope", "state", "version", "view" }

local is_loading = true

-- Texts of the environment and of files ----------------------------------------------------------

-- Adds a fault while the file loads; later it raises an error with the place of the call.
local function mistake(message)
  if is_loading then return fault(message) end
  local file, line = host.where()
  error(format("%s:%d: %s", file or "?", line or 0, message), 0)
end

-- Returns a text, or false and the reason. `check` reads none: the name of each stands in its place.
local function read(kind, name)
  local text, more = host.host_text(kind, name)
  if text and more then language.has_names = true end
  return text, more
end

local function variable(name, default)
  if type(name) ~= "string" or name == "" then
    mistake("env takes the name of a variable: env.BANK_URL, or env(\"BANK_URL\", \"https://bank.example\")")
    return ""
  end
  if default ~= nil and type(default) ~= "string" then
    mistake(format("env: the default of %s must be a string, not a %s", name, type(default)))
    return ""
  end
  local text, reason = read("variable", name)
  if text then return text end
  if default then return default end
  mistake(reason)
  return "$" .. name
end

local env = setmetatable({}, {
  __index = function(_, name) return variable(name) end,
  __call = function(_, name, default) return variable(name, default) end,
  __newindex = function(_, name) mistake(format("env.%s cannot be set: variables are only read", tostring(name))) end,
})

local function file(path)
  if type(path) ~= "string" or path == "" then
    mistake("file takes a path, absolute or from the host file's folder: file(\"/run/secrets/bank\")")
    return ""
  end
  local text, reason = read("file", path)
  if text then return text end
  mistake(reason)
  return "$" .. path
end

-- Workers ----------------------------------------------------------------------------------------

local WORKER = { queue = true, lease = true, attempts = true, timeout = true, args = true, result = true }

local DAY = 24 * 3600

local function worker(options)
  local made, entry = options_of.performer("worker")
  if options == nil then options = {} end
  if type(options) ~= "table" then
    fault("worker takes its options in a table: worker { queue = \"mail\" }")
    return made
  end
  options_of.check_options("worker", options, WORKER)
  local queue = options.queue
  if queue ~= nil and (type(queue) ~= "string" or #queue > 64 or not find(queue, "^[a-z0-9_.%-]+$")) then
    fault("worker: a queue has 1 to 64 of the characters a-z, 0-9, _, . and -, got " .. tostring(queue))
    queue = nil
  end
  entry.queue = queue
  entry.lease = options_of.duration("worker", options, "lease", 1, DAY, "1s to 24h")
  entry.timeout = options_of.duration("worker", options, "timeout", 1, 366 * DAY, "1s to 366d")
  entry.attempts = options_of.count("worker", options, "attempts", 1000)
  entry.arguments = options_of.arguments("worker", options.args)
  if options.result ~= nil then entry.result = language.describe_type(options.result, "worker.result") end
  return made
end

-- Capabilities -----------------------------------------------------------------------------------

local capabilities = {}
-- The functions of the file, by the names under which the host calls them, such as "root.charge.request".
local called = language.called

local function provide_in(scope, members)
  if type(members) ~= "table" or performers[members] then
    return fault("provide takes a table of capabilities: provide { mail = worker { queue = \"mail\" } }")
  end
  local names = {}
  for name in pairs(members) do
    if type(name) ~= "string" or not find(name, "^[%a_][%w_]*$") then
      fault(format("provide: a capability has a name, not %s", tostring(name)))
    else
      names[#names + 1] = name
    end
  end
  sort(names)
  for _, name in ipairs(names) do
    local performer = performers[members[name]]
    if not performer then
      fault(format("provide: %s must be a worker { ... }, an http { ... } or a command { ... }, not a %s", name,
        type(members[name])))
    else
      for option in pairs(options_of.given[members[name]] or {}) do
        if options_of.of_notifications[option] then
          fault(format("provide: %s: %s is an option of notifications, notify.NAME = http { ... }", name, option),
            performer)
        end
      end
      local entry = {}
      for key, value in pairs(performer) do entry[key] = value end
      entry.scope, entry.name = scope, name
      capabilities[#capabilities + 1] = entry
      for option, run in pairs(functions[members[name]] or {}) do
        called[scope .. "." .. name .. "." .. option] = run
      end
    end
  end
end

local provide = setmetatable({}, {
  __call = function(_, members) provide_in("root", members) end,
  __index = function(_, scope) return function(members) provide_in(tostring(scope), members) end end,
  __newindex = function() fault("provide takes a table: provide { ... }, or provide.SCOPE { ... }") end,
})

-- Functions --------------------------------------------------------------------------------------

-- Ends a function with a failure of the call, which the host recognizes by the name of its field.
local function fail(message, retryable)
  if is_loading then return fault("fail is for the functions request and response") end
  if type(message) ~= "string" then
    mistake(format("fail takes a message, and true if another try may succeed, not a %s", type(message)))
  end
  error({ capability_failure = message, retryable = retryable == true }, 0)
end

-- Calls a function of the file by its name, and returns its first result.
function host.call_function(name, ...)
  return (called[name](...))
end

-- The file ---------------------------------------------------------------------------------------

local LOADING = { command = language.command, hooks = host.global("hooks"), http = language.http,
  notify = host.global("notify"), provide = provide, worker = worker }
local ALWAYS = { env = env, fail = fail, file = file }

for _, word in ipairs(FLOW_WORDS) do host.set_global(word, nil) end
for _, words in ipairs { LOADING, ALWAYS } do
  for word, value in pairs(words) do host.set_global(word, value) end
end

-- Makes globals read-only, so that no function of the file keeps anything there.
local function end_loading()
  language.end_loading()
  for _, words in ipairs { LOADING, ALWAYS } do
    for word in pairs(words) do host.set_global(word, nil) end
  end
  host.freeze_globals()
  for word, value in pairs(ALWAYS) do host.set_global(word, value) end
  is_loading = false
end

-- Runs the file, and returns what it declares with its faults; an error that it raises is the caller's.
function host.host_file(reference)
  host.take(reference)()
  -- Swift finds the line of the assignment.
  if host.global("provide") ~= provide then
    fault("provide takes a call: provide { ... }, or provide.SCOPE { ... }", { file = "", line = 0, word = "provide" })
  end
  local hooks, notifications = language.hooks(), language.notifications()
  end_loading()
  return { faults = list(language.faults), capabilities = list(capabilities), hooks = hooks,
    notifications = notifications }
end
