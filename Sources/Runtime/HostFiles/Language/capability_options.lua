-- Reads the options of the declarations in host files: capabilities, webhooks and notifications.
--
-- A mistake becomes a fault, so that loading reports all of them at once: at `place`, or else at the line that runs.

local host = host
local language = host.language
local fault, here, list, map = language.fault, language.here, language.list, language.map
local ipairs, math_type, next, pairs, sort, tostring, type =
  ipairs, math.type, next, pairs, table.sort, tostring, type
local find, format = string.find, string.format

-- Options ----------------------------------------------------------------------------------------

local function known_names(known)
  local names = {}
  for name in pairs(known) do names[#names + 1] = name end
  sort(names)
  return table.concat(names, ", ")
end

-- Adds a fault for each option that is not known; `positions` is the number of options without a name, `suggested` the
-- names that may have been meant: if it is nil, those that are known.
local function check_options(title, options, known, positions, place, suggested)
  for name in pairs(options) do
    local is_position = math_type(name) == "integer" and name >= 1 and name <= (positions or 0)
    if not known[name] and not is_position then
      fault(format("%s has no option %s%s; it takes %s", title, tostring(name),
        host.nearest(tostring(name), suggested or known), known_names(known)), place)
    end
  end
end

-- Returns a duration in seconds, from least to most; nil if it is not given, or wrong.
local function duration(title, options, name, least, most, range, place)
  local given = options[name]
  if given == nil then return nil end
  local seconds = host.seconds(given)
  if seconds and seconds >= least and seconds <= most then return seconds end
  fault(format("%s: %s must be a duration from %s, such as \"30s\" or \"5m\", got %s", title, name, range,
    tostring(given)), place)
end

local function count(title, options, name, most)
  local given = options[name]
  if given == nil then return nil end
  if math_type(given) == "integer" and given >= 1 and given <= most then return given end
  fault(format("%s: %s must be a whole number from 1 to %d, got %s", title, name, most, tostring(given)))
end

local function flag(title, options, name, place)
  local given = options[name]
  if given == nil or type(given) == "boolean" then return given end
  fault(format("%s: %s must be true or false, got %s", title, name, tostring(given)), place)
end

-- Returns a list of names, such as those of actions; nil if it is not given, or wrong.
local function names(title, options, name, example, place)
  local given = options[name]
  if given == nil then return nil end
  if type(given) ~= "table" or given[1] == nil and next(given) ~= nil then
    return fault(format("%s: %s takes a list of names: %s = { \"%s\" }", title, name, name, example), place)
  end
  local found = {}
  for number, element in ipairs(given) do
    if type(element) == "string" then
      found[#found + 1] = element
    else
      fault(format("%s: name %d of %s must be in quotes, not a %s", title, number, name, type(element)), place)
    end
  end
  return list(found)
end

-- Returns a table of texts by name; nil if it is not given, or wrong.
local function texts(title, options, name, is_known)
  local given = options[name]
  if given == nil then return nil end
  if type(given) ~= "table" or language.types[given] then
    return fault(format("%s: %s takes a table, not a %s", title, name, type(given)))
  end
  local found = {}
  for key, text in pairs(given) do
    if type(key) ~= "string" or is_known and not is_known[key] then
      fault(format("%s: %s has no field %s%s", title, name, tostring(key),
        is_known and host.nearest(tostring(key), is_known) or ""))
    elseif type(text) ~= "string" then
      fault(format("%s: %s.%s must be a string, not a %s", title, name, key, type(text)))
    else
      found[key] = text
    end
  end
  return map(found)
end

-- Returns true for the name of a webhook or a notification; else adds a fault, which begins with the global word.
local function check_name(word, noun, name, place)
  if type(name) == "string" and #name <= 64 and find(name, "^[%w_%-]+$") then return true end
  fault(format("%s: a %s has a name of 1 to 64 letters, digits, _ and -, not %s", word, noun, tostring(name)), place)
  return false
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

-- Returns the parameters in order, or the fields of the one record that the call takes.
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

-- Calls of `worker`, `http` and `command` return performers: empty tables, which stand for their descriptions.
--
-- The description of each performer.
local performers = {}
-- The options of each performer, as the file has them.
local given = {}
-- The functions among the options of each performer, by the names of the options.
local functions = {}

-- Returns a new performer, and its description to be filled in.
local function performer(kind)
  local made, entry = {}, here()
  entry.kind = kind
  performers[made] = entry
  return made, entry
end

-- For the other files of the prelude.
language.capabilities = {
  arguments = arguments, check_name = check_name, check_options = check_options, count = count, duration = duration,
  flag = flag, functions = functions, given = given, names = names, performer = performer, performers = performers,
  texts = texts,
}
