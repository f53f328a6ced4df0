-- The language of host files: which capabilities the host provides, and who performs each.
--
-- A mistake becomes a fault with its place, so that loading reports all of them at once.

local host = host
local language = host.language
local fault, here, list, map = language.fault, language.here, language.list, language.map
local ipairs, math_type, pairs, setmetatable, sort, tostring, type =
  ipairs, math.type, pairs, setmetatable, table.sort, tostring, type
local find, format = string.find, string.format

-- The words of flows, which a host file does not have.
local FLOW_WORDS = { "action", "effect", "flow_name", "gate", "gatekeeper", "internal", "invariant", "machine",
  "migrate", "reduce", "scope", "state", "version", "view" }

local capabilities = {}
-- What `worker` has made, each with its description.
local performers = {}

-- Options ----------------------------------------------------------------------------------------

local function known_names(known)
  local names = {}
  for name in pairs(known) do names[#names + 1] = name end
  sort(names)
  return table.concat(names, ", ")
end

local function check_options(title, options, known)
  for name in pairs(options) do
    if not known[name] then
      fault(format("%s has no option %s%s; it takes %s", title, tostring(name),
        host.nearest(tostring(name), known), known_names(known)))
    end
  end
end

-- A duration in seconds, from least to most; nil if it is not given, or wrong.
local function duration(title, options, name, least, most, range)
  local given = options[name]
  if given == nil then return nil end
  local seconds = host.seconds(given)
  if seconds and seconds >= least and seconds <= most then return seconds end
  fault(format("%s: %s must be a duration from %s, such as \"30s\" or \"5m\", got %s", title, name, range,
    tostring(given)))
end

local function count(title, options, name, most)
  local given = options[name]
  if given == nil then return nil end
  if math_type(given) == "integer" and given >= 1 and given <= most then return given end
  fault(format("%s: %s must be a whole number from 1 to %d, got %s", title, name, most, tostring(given)))
end

-- Arguments and results --------------------------------------------------------------------------

local function parameter(title, number, entry)
  local name, kind = entry, nil
  if type(entry) == "table" and not language.types[entry] then name, kind = entry[1], entry[2] end
  if type(name) ~= "string" or not find(name, "^[%a_][%w_]*$") then
    return fault(format("%s: argument %d must be a name, or a name with a type: { \"cents\", integer }", title, number))
  end
  return { name = name,
    type = kind ~= nil and language.describe_type(kind, format("%s.%s", title, name)) or { kind = "any" } }
end

-- The parameters in order, or the fields of the one record that the call takes.
local function arguments(title, args)
  if args == nil then return nil end
  if type(args) ~= "table" then
    return fault(format("%s: args takes a list of names, or a table of fields", title))
  end
  if args[1] == nil then
    return { fields = map(language.describe_fields(args, title .. ".args")) }
  end
  local parameters, seen = {}, {}
  for number, entry in ipairs(args) do
    local described = parameter(title, number, entry)
    if described then
      if seen[described.name] then fault(format("%s: two arguments are named %s", title, described.name)) end
      seen[described.name] = true
      parameters[#parameters + 1] = described
    end
  end
  return { parameters = list(parameters) }
end

-- Performers -------------------------------------------------------------------------------------

local WORKER = { queue = true, lease = true, attempts = true, timeout = true, args = true, result = true }

local DAY = 24 * 3600

local function worker(options)
  local made, entry = {}, here()
  entry.kind = "worker"
  performers[made] = entry
  if options == nil then options = {} end
  if type(options) ~= "table" then
    fault("worker takes its options in a table: worker { queue = \"mail\" }")
    return made
  end
  check_options("worker", options, WORKER)
  local queue = options.queue
  if queue ~= nil and (type(queue) ~= "string" or #queue > 64 or not find(queue, "^[a-z0-9_.%-]+$")) then
    fault("worker: a queue has 1 to 64 of the characters a-z, 0-9, _, . and -, got " .. tostring(queue))
    queue = nil
  end
  entry.queue = queue
  entry.lease = duration("worker", options, "lease", 1, DAY, "1s to 24h")
  entry.timeout = duration("worker", options, "timeout", 1, 366 * DAY, "1s to 366d")
  entry.attempts = count("worker", options, "attempts", 1000)
  entry.arguments = arguments("worker", options.args)
  if options.result ~= nil then entry.result = language.describe_type(options.result, "worker.result") end
  return made
end

-- Capabilities -----------------------------------------------------------------------------------

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
      fault(format("provide: %s must be a worker { ... }, not a %s", name, type(members[name])))
    else
      local entry = {}
      for key, value in pairs(performer) do entry[key] = value end
      entry.scope, entry.name = scope, name
      capabilities[#capabilities + 1] = entry
    end
  end
end

for _, word in ipairs(FLOW_WORDS) do host.set_global(word, nil) end
host.set_global("worker", worker)
host.set_global("provide", setmetatable({}, {
  __call = function(_, members) provide_in("root", members) end,
  __index = function(_, scope) return function(members) provide_in(tostring(scope), members) end end,
  __newindex = function() fault("provide takes a table: provide { ... }, or provide.SCOPE { ... }") end,
}))

-- Runs the file, and returns what it declares with its faults; an error that it raises is the caller's.
function host.host_file(reference)
  host.take(reference)()
  language.end_loading()
  return { faults = list(language.faults), capabilities = list(capabilities) }
end
