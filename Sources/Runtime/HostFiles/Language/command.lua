-- The word `command` of host files: a capability that the server performs by running a program.

local host = host
local language = host.language
local fault, list = language.fault, language.list
local pairs, type = pairs, type
local find, format = string.find, string.format

local options_of = language.capabilities

local OPTIONS = { timeout = true, at_once = true, max = true, env = true, args = true, result = true }

local EXAMPLE = "command { \"df\", \"--output=avail\", \"--\", \"{path}\", args = { \"path\" } }"

-- Returns true for a text without NUL, which neither an argument nor a variable can have; else adds a fault.
local function check_text(name, text)
  if not find(text, "\0", 1, true) then return true end
  fault(format("command: %s must not have the character NUL", name))
  return false
end

-- Returns the program and its arguments.
local function words(options)
  if options[1] == nil then return fault("command: the program is missing: " .. EXAMPLE) end
  local found = {}
  for number = 1, #options do
    local word = options[number]
    local name = number == 1 and "the program" or format("argument %d", number - 1)
    if type(word) ~= "string" then
      fault(format("command: %s must be a string, not a %s", name, type(word)))
    elseif check_text(name, word) then
      found[#found + 1] = word
    end
  end
  if #found < #options then return nil end
  if found[1] == "" then return fault("command: the program is an empty text: " .. EXAMPLE) end
  return list(found)
end

-- Returns the variables of the environment that the program gets besides PATH and LANG.
local function environment(options)
  local found = options_of.texts("command", options, "env")
  for name, text in pairs(found or {}) do
    if not find(name, "^[%a_][%w_]*$") then
      fault(format("command: env: a variable has a name of letters, digits and _, not %s", name))
    else
      check_text("env." .. name, text)
    end
  end
  return found
end

function language.command(options)
  local made, entry = options_of.performer("command")
  if type(options) ~= "table" then
    fault("command takes a program, its arguments and options in a table: " .. EXAMPLE)
    return made
  end
  options_of.check_options("command", options, OPTIONS, #options)
  entry.words, entry.environment = words(options), environment(options)
  entry.seconds = options_of.duration("command", options, "timeout", 0.1, 600, "0.1s to 10m")
  entry.at_once = options_of.count("command", options, "at_once", 1000)
  entry.max = options_of.count("command", options, "max", 16 << 20)
  entry.arguments = options_of.arguments("command", options.args)
  if options.result ~= nil then entry.result = language.describe_type(options.result, "command.result") end
  return made
end
