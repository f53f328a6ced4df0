-- The notifications of a host file: notify.NAME = http { "POST", URL, secret = ..., on = { ... }, views = { ... } }.
--
-- A mistake becomes a fault with the line of the declaration's http. No message shows a secret.

local host = host
local language = host.language
local fault, here, list = language.fault, language.here, language.list
local ipairs, next, pairs, setmetatable, sort, tostring, type =
  ipairs, next, pairs, setmetatable, table.sort, tostring, type
local concat, find, format = table.concat, string.find, string.format

local options_of = language.capabilities

-- The options of http that a notification has, besides its own.
local OPTIONS = { headers = true, timeout = true, private = true, plain = true, tls = true }
for name in pairs(options_of.of_notifications) do OPTIONS[name] = true end

local DAY = 24 * 3600
local AT_ONCE = 16

-- The notifications in the order of the file, and their names.
local notifications, names = {}, {}

-- Returns the names of an option that is a list of them; nil if it is not given.
local function names_of(title, option, given, place)
  if given == nil then return nil end
  if type(given) ~= "table" or given[1] == nil and next(given) ~= nil then
    return fault(format("%s: %s takes a list of names: %s = { \"paid\" }", title, option, option), place)
  end
  local found = {}
  for number, name in ipairs(given) do
    if type(name) == "string" then
      found[#found + 1] = name
    else
      fault(format("%s: name %d of %s must be in quotes, not a %s", title, number, option, type(name)), place)
    end
  end
  return list(found)
end

local function check_options(title, options, place)
  local known = {}
  for name in pairs(OPTIONS) do known[#known + 1] = name end
  sort(known)
  for name in pairs(options) do
    if type(name) == "string" and not OPTIONS[name] then
      fault(format("%s: a notification has no option %s; it takes %s", title, name, concat(known, ", ")), place)
    end
  end
  if options[1] ~= "POST" then fault(title .. ": the method of a notification must be POST", place) end
  if options.payload ~= nil and type(options.payload) ~= "boolean" then
    fault(title .. ": payload must be true or false, got " .. tostring(options.payload), place)
  end
end

local function give_up(title, given, place)
  if given == nil then return nil end
  local seconds = host.seconds(given)
  if seconds and seconds >= 1 and seconds <= 366 * DAY then return seconds end
  fault(format("%s: give_up must be a duration from 1s to 366d, such as \"3d\", got %s", title, tostring(given)), place)
end

local function declare(name, made)
  local place = here()
  if type(name) ~= "string" or #name > 64 or not find(name, "^[%w_%-]+$") then
    return fault("notify: a notification has a name of 1 to 64 letters, digits, _ and -, not " .. tostring(name), place)
  end
  local title = "notify." .. name
  local performer = options_of.performers[made]
  if not performer or performer.kind ~= "http" then
    return fault(format("%s must be an http { \"POST\", URL, secret = \"whsec_...\" }", title), place)
  end
  place = { file = performer.file, line = performer.line }
  if names[name] then return fault(title .. " is declared twice", place) end
  names[name] = true
  local entry, options = {}, options_of.given[made] or {}
  for key, value in pairs(performer) do entry[key] = value end
  check_options(title, options, place)
  entry.name, entry.key, entry.at_once = name, false, AT_ONCE
  entry.secrets = language.secrets(title .. ": secret", options.secret, "standard", place)
  entry.on = names_of(title, "on", options.on, place)
  entry.views = names_of(title, "views", options.views, place)
  entry.payload = options.payload == true
  entry.give_up = give_up(title, options.give_up, place)
  notifications[#notifications + 1] = entry
end

local global = setmetatable({}, {
  __newindex = function(_, name, made) declare(name, made) end,
  __call = function() fault("a notification is declared as notify.NAME = http { ... }") end,
})
host.set_global("notify", global)

-- The declared notifications, once the file has run.
function language.notifications()
  if host.global("notify") ~= global then
    fault("notify is not assigned as a whole: each notification is declared as notify.NAME = http { ... }",
      { file = "", line = 0 })
  end
  return list(notifications)
end
