-- The notifications of a host file: notify.NAME = http { "POST", URL, secret = ..., on = { ... }, views = { ... } }.
--
-- A mistake becomes a fault with the line of the declaration's http. No message shows a secret.

local host = host
local language = host.language
local fault, here, list = language.fault, language.here, language.list
local next, pairs, setmetatable, type, format = next, pairs, setmetatable, type, string.format

local options_of = language.capabilities

-- The options of http that a notification has, besides its own.
local OPTIONS = { headers = true, timeout = true, private = true, plain = true, tls = true }
for name in pairs(options_of.of_notifications) do OPTIONS[name] = true end

local DAY = 24 * 3600
local AT_ONCE = 16

-- The notifications in the order of the file, and their names.
local notifications, names = {}, {}

local function declare(name, made)
  local place = here()
  if not options_of.check_name("notify", "notification", name, place) then return end
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
  -- http has reported those that it does not know.
  local known = {}
  for option, value in pairs(options) do
    if not options_of.is_unknown(option) then known[option] = value end
  end
  options_of.check_options(title .. ": a notification", known, OPTIONS, 0, place)
  if options[1] ~= "POST" then fault(title .. ": the method of a notification must be POST", place) end
  entry.name, entry.key, entry.at_once = name, false, AT_ONCE
  entry.secrets = language.secrets(title .. ": secret", options.secret, "standard", place)
  entry.on = options_of.names(title, options, "on", "paid", place)
  if type(options.on) == "table" and next(options.on) == nil then
    fault(title .. ": on names no action, so that nothing is sent; without on, every action is", place)
  end
  entry.views = options_of.names(title, options, "views", "status", place)
  entry.payload = options_of.flag(title, options, "payload", place)
  entry.give_up = options_of.duration(title, options, "give_up", 1, 366 * DAY, "1s to 366d", place)
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
