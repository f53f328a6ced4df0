-- The word `http` of host files: a capability that the server performs by an HTTP request.

local host = host
local language = host.language
local fault, list = language.fault, language.list
local ipairs, math_type, pairs, tostring, type = ipairs, math.type, pairs, tostring, type
local format = string.format

local options_of = language.capabilities

local OPTIONS = {
  timeout = true, at_once = true, max = true, private = true, plain = true, tls = true, args = true, result = true,
  headers = true, body = true, key = true, answers = true, request = true, response = true, callback = true,
}

-- The options that only a notification has.
local OF_NOTIFICATIONS = { secret = true, on = true, views = true, payload = true, give_up = true }
options_of.of_notifications = OF_NOTIFICATIONS

-- Those that a wrong option may have meant: at a call of http nobody knows yet what it is for.
local SUGGESTED = {}
for _, names in ipairs { OPTIONS, OF_NOTIFICATIONS } do
  for name in pairs(names) do SUGGESTED[name] = true end
end

-- Returns true for an option that no http takes, so that its call has reported it.
function options_of.is_unknown(name) return not OPTIONS[name] and not OF_NOTIFICATIONS[name] end

local METHODS = { GET = true, HEAD = true, POST = true, PUT = true, PATCH = true, DELETE = true }
-- The methods whose requests have no body.
local WITHOUT_BODY = { GET = true, HEAD = true }

local DAY = 24 * 3600

local function method(given)
  if METHODS[given] then return given end
  fault("http: the method must be GET, HEAD, POST, PUT, PATCH or DELETE, got " .. tostring(given))
end

local function url(given)
  if type(given) == "string" then return given end
  fault(given == nil and "http: the URL is missing: http { \"POST\", env.BANK_URL .. \"/charges\" }"
    or format("http: the URL must be a string, not a %s", type(given)))
end

local BODIES = { json = true, form = true, none = true }

local function body(given, of_method)
  if given == nil then return nil end
  if not BODIES[given] then
    return fault(format("http: body must be \"json\", \"form\" or \"none\", got %s", tostring(given)))
  end
  if WITHOUT_BODY[of_method] and given ~= "none" then
    return fault(format("http: a %s request has no body", of_method))
  end
  return given
end

local KEY = { header = true, quoted = true }

-- Returns the header of the idempotency key, or false.
local function key(given)
  if given == nil or given == false then return given end
  if type(given) ~= "table" or type(given.header) ~= "string" then
    return fault("http: key takes the name of a header, key = { header = \"PayPal-Request-Id\", quoted = true }, "
      .. "or false for none")
  end
  options_of.check_options("http: key", given, KEY)
  return { header = given.header, quoted = options_of.flag("http: key", given, "quoted") }
end

-- Returns the statuses that are answers besides 2xx.
local function answers(given)
  if given == nil then return nil end
  if type(given) ~= "table" then
    return fault(format("http: answers takes a list of statuses, { 402, 404 }, not a %s", type(given)))
  end
  local found = {}
  for place, status in pairs(given) do
    if math_type(place) ~= "integer" or math_type(status) ~= "integer" or status < 300 or status > 599 then
      fault(format("http: answers takes statuses from 300 to 599 besides 2xx, got %s", tostring(status)))
    else
      found[#found + 1] = status
    end
  end
  return list(found)
end

-- Returns the functions among the options.
local function functions(options)
  local found = {}
  for _, name in ipairs { "request", "response" } do
    local given = options[name]
    if type(given) == "function" then found[name] = given
    elseif given ~= nil then fault(format("http: %s must be a function, not a %s", name, type(given))) end
  end
  return found
end

local TLS = { ca = true, cert = true, key = true }

function language.http(options)
  local made, entry = options_of.performer("http")
  if type(options) ~= "table" then
    fault("http takes a method, a URL and options in a table: http { \"POST\", env.BANK_URL .. \"/charges\" }")
    return made
  end
  local own = {}
  for name, option in pairs(options) do
    if not OF_NOTIFICATIONS[name] then own[name] = option end
  end
  options_of.check_options("http", own, OPTIONS, 2, nil, SUGGESTED)
  options_of.given[made] = options
  entry.method, entry.url = method(options[1]), url(options[2])
  entry.seconds = options_of.duration("http", options, "timeout", 0.1, 600, "0.1s to 10m")
  entry.callback = options_of.duration("http", options, "callback", 1, 366 * DAY, "1s to 366d")
  entry.at_once = options_of.count("http", options, "at_once", 1000)
  entry.max = options_of.count("http", options, "max", 16 << 20)
  entry.private = options_of.flag("http", options, "private")
  entry.plain = options_of.flag("http", options, "plain")
  entry.tls = options_of.texts("http", options, "tls", TLS)
  entry.headers = options_of.texts("http", options, "headers")
  entry.body = body(options.body, entry.method)
  entry.key = key(options.key)
  entry.answers = answers(options.answers)
  entry.arguments = options_of.arguments("http", options.args)
  if options.result ~= nil then entry.result = language.describe_type(options.result, "http.result") end
  local called = functions(options)
  options_of.functions[made] = called
  entry.request, entry.response = called.request ~= nil, called.response ~= nil
  if entry.callback and entry.response then
    fault("http: with callback the answer comes through a hook, so that response is not called; leave one of them out")
  end
  return made
end
