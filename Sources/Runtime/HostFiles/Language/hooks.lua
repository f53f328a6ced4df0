-- The webhooks of a host file: hooks.NAME = { signature = "stripe", secret = ..., actions = { ... }, run = function }.
--
-- A mistake becomes a fault of the webhook's declaration. No message shows a secret.

local host = host
local language = host.language
local fault, here, list = language.fault, language.here, language.list
local ipairs, pairs, setmetatable, tostring, type = ipairs, pairs, setmetatable, tostring, type
local find, format, match = string.find, string.format, string.match

local options_of = language.capabilities

local OPTIONS = { actions = true, refused = true, run = true, secret = true, signature = true }
local SIGNATURES = { github = true, standard = true, stripe = true }
local KNOWN_SIGNATURES = '"github", "stripe", "standard" or { header = "X-Token", equals = SECRET }'

-- Shorter secrets are guessed. In base64 as many bytes take 12 characters.
local SHORTEST, SHORTEST_KEY = 8, 12

-- The webhooks in the order of the file, and their places by name.
local hooks, places = {}, {}
-- The functions of the file, by the names under which the host calls them, such as "hooks.stripe".
language.called = {}

-- Returns true for a text in which a name stands in place of a secret that was not read.
local function is_placeholder(text) return language.has_names and find(text, "$", 1, true) ~= nil end

local function is_key(text)
  return #text >= SHORTEST_KEY and #text % 4 == 0 and find(text, "^[%w+/]+=?=?$") ~= nil
end

-- The secrets of an option that is a text or a list of texts.
local function secrets(title, given, scheme, place)
  if type(given) == "string" then given = { given } end
  if type(given) ~= "table" or given[1] == nil then
    fault(title .. " must be a text, or a list of texts while one is replaced by another", place)
    return list({})
  end
  local texts = {}
  for number, text in ipairs(given) do
    if type(text) ~= "string" or #text < SHORTEST and not is_placeholder(text) then
      fault(format("%s: secret %d must be a text of at least %d bytes", title, number, SHORTEST), place)
    elseif scheme == "standard" and not is_placeholder(text) and not is_key(match(text, "^whsec_(.*)$") or text) then
      fault(format("%s: secret %d must be whsec_ and a key of at least %d bytes in base64", title, number, SHORTEST),
        place)
    else
      texts[#texts + 1] = text
    end
  end
  return list(texts)
end

-- { header = "X-Token", equals = SECRET }
local function header_signature(title, signature, entry, place)
  for name in pairs(signature) do
    if name ~= "header" and name ~= "equals" then
      fault(format("%s: signature has no field %s; it takes header and equals", title, tostring(name)), place)
    end
  end
  if type(signature.header) ~= "string" or not find(signature.header, "^[%w_%-]+$") then
    fault(title .. ": signature.header must be the name of a header, such as \"X-Token\"", place)
  end
  entry.scheme, entry.header = "header", signature.header
  entry.secrets = secrets(title .. ": signature.equals", signature.equals, "header", place)
end

local function read_signature(title, options, entry, place)
  local signature = options.signature
  if type(signature) == "table" then
    if options.secret ~= nil then
      fault(title .. ": signature.equals is the secret, so that the option secret is left out", place)
    end
    return header_signature(title, signature, entry, place)
  end
  if type(signature) ~= "string" or not SIGNATURES[signature] then
    local near = type(signature) == "string" and host.nearest(signature, SIGNATURES) or ""
    local given = signature == nil and "has no signature" or "has no such signature: " .. tostring(signature) .. near
    return fault(format("%s %s; there are %s", title, given, KNOWN_SIGNATURES), place)
  end
  entry.scheme = signature
  entry.secrets = secrets(title .. ": secret", options.secret, signature, place)
end

local function declare(name, options)
  local place = here()
  if not options_of.check_name("hooks", "webhook", name, place) then return end
  local title = "hooks." .. name
  place.word, place.name = "hooks", name
  if type(options) ~= "table" then
    return fault(format("%s takes its options in a table: %s = { signature = ..., secret = ..., run = function }",
      title, title), place)
  end
  options_of.check_options(title, options, OPTIONS, 0, place)
  local entry = { name = name, file = place.file, line = place.line }
  read_signature(title, options, entry, place)
  entry.actions = options_of.names(title, options, "actions", "settle", place)
  if options.refused ~= nil and options.refused ~= "accept" then
    fault(format("%s: refused must be \"accept\", or is left out", title), place)
  end
  entry.accepts_refusals = options.refused == "accept"
  if type(options.run) ~= "function" then
    return fault(format("%s needs run = function(event, request) ... end", title), place)
  end
  if places[name] then
    return fault(format("%s is declared twice", title), place)
  end
  places[name], language.called[title] = place, options.run
  hooks[#hooks + 1] = entry
end

local global = setmetatable({}, {
  __newindex = function(_, name, options) declare(name, options) end,
  __call = function() fault("a webhook is declared as hooks.NAME = { ... }") end,
})
host.set_global("hooks", global)

-- For notifications, which are signed in the way of Standard Webhooks.
language.secrets = secrets

-- The declared webhooks, once the file has run.
function language.hooks()
  if host.global("hooks") ~= global then
    fault("hooks is not assigned as a whole: each webhook is declared as hooks.NAME = { ... }",
      { file = "", line = 0, word = "hooks" })
  end
  return list(hooks)
end
