-- Functions of ECMAScript, for the expressions of SCXML documents.

local host = host
local error, ipairs, select, tonumber, type, pairs = error, ipairs, select, tonumber, type, pairs
local byte, find, format = string.byte, string.find, string.format
local gsub, lower, match, sub = string.gsub, string.lower, string.match, string.sub
local concat = table.concat
local to_character = utf8.char
local floor, huge, to_integer, square_root = math.floor, math.huge, math.tointeger, math.sqrt

local words = host.ecmascript
local whole, text_of, number, number_text = words.whole, words.text_of, words.double, words.number_text
local NAN, trimmed_start, leading_number, digits_value, WHOLE =
  words.NAN, words.trimmed_start, words.leading_number, words.digits_value, words.WHOLE

-- Functions --------------------------------------------------------------------------------------

local FUNCTIONS = {}
words.functions = FUNCTIONS

local function of_double(f) return function(value) return whole(f(number(value)) + 0.0) end end

FUNCTIONS["Math.abs"] = of_double(function(x) return x < 0 and -x or x == 0 and 0 or x end)
local function is_finite(x) return x == x and x ~= huge and x ~= -huge end
local function floor_of(x)
  if not is_finite(x) or x == 0 or x >= WHOLE or x <= -WHOLE then return x end
  return floor(x)
end
local function ceil_of(x)
  if not is_finite(x) or x >= WHOLE or x <= -WHOLE then return x end
  return x > -1 and x <= 0 and (x == 0 and x or -0.0) or -floor(-x)
end
FUNCTIONS["Math.floor"] = of_double(floor_of)
FUNCTIONS["Math.ceil"] = of_double(ceil_of)
FUNCTIONS["Math.trunc"] = of_double(function(x) if x < 0 then return ceil_of(x) end return floor_of(x) end)
FUNCTIONS["Math.round"] = of_double(function(x)
  if not is_finite(x) or x == 0 or x >= WHOLE or x <= -WHOLE then return x end
  if x < 0 and x >= -0.5 then return -0.0 end
  local below = floor(x)
  return x - below >= 0.5 and below + 1 or below
end)
FUNCTIONS["Math.sign"] = of_double(function(x) return x > 0 and 1 or x < 0 and -1 or x end)
FUNCTIONS["Math.sqrt"] = of_double(function(x) return x < 0 and NAN or x == 0 and x or square_root(x) end)

FUNCTIONS["Math.pow"] = function(base, exponent)
  base, exponent = number(base), number(exponent)
  if exponent ~= exponent or (base == 1 or base == -1) and not is_finite(exponent) then return NAN end
  return whole(base ^ exponent)
end

local function extreme(first, is_better)
  return function(...)
    local best = first
    for place = 1, select("#", ...) do
      local x = number((select(place, ...)))
      if x ~= x then best = x elseif best == best and is_better(x, best) then best = x end
    end
    return whole(best)
  end
end
FUNCTIONS["Math.max"] = extreme(-huge, function(x, best)
  return x > best or x == 0 and best == 0 and 1 / best < 0
end)
FUNCTIONS["Math.min"] = extreme(huge, function(x, best)
  return x < best or x == 0 and best == 0 and 1 / x < 0
end)
FUNCTIONS["Math.random"] = function() return host.global("random")() end

FUNCTIONS.Number = function(...) if select("#", ...) == 0 then return 0 end return words.number((...)) end
FUNCTIONS.String = function(...) if select("#", ...) == 0 then return "" end return text_of((...)) end
FUNCTIONS.Boolean = function(value) return words.truthy(value) end
FUNCTIONS.isNaN = function(value) local x = number(value) return x ~= x end
FUNCTIONS.isFinite = function(value) return is_finite(number(value)) end
FUNCTIONS["Number.isInteger"] = function(value)
  return type(value) == "number" and is_finite(value) and value == floor(value)
end
FUNCTIONS["Number.isNaN"] = function(value) return type(value) == "number" and value ~= value end
FUNCTIONS["Number.isFinite"] = function(value) return type(value) == "number" and is_finite(value) end
FUNCTIONS["Array.isArray"] = function(value) return words.is_array(value) end

FUNCTIONS.parseFloat = function(value)
  local text = trimmed_start(text_of(value))
  local sign = match(text, "^([+-]?)Infinity")
  if sign then return sign == "-" and -huge or huge end
  local x = leading_number(text)
  return x and whole(x) or NAN
end

FUNCTIONS.parseInt = function(value, radix)
  local text = trimmed_start(text_of(value))
  local sign, rest = match(text, "^([+-]?)(.*)$")
  local base = radix == nil and 0 or number(radix)
  if (base == 0 or base == 16) and lower(sub(rest, 1, 2)) == "0x" then rest, base = sub(rest, 3), 16 end
  if base == 0 or base ~= base then base = 10 end
  base = to_integer(floor(base)) or 0
  if base < 2 or base > 36 then return NAN end
  local x, wrong = digits_value(rest, base)
  if wrong == 1 or rest == "" then return NAN end
  x = x or digits_value(sub(rest, 1, wrong - 1), base)
  if base == 10 and x >= WHOLE then x = tonumber(match(rest, "^%d+") .. ".0") end
  return whole(sign == "-" and -x or x)
end

local function names(value)
  if type(value) ~= "table" or words.is_array(value) then error("Object.keys takes an object here", 0) end
  local all = {}
  for name in pairs(value) do all[#all + 1] = text_of(name) end
  return all
end
FUNCTIONS["Object.keys"] = function(value) return words.list(names(value)) end

-- JSON -------------------------------------------------------------------------------------------

local ESCAPES = { ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t",
  ["\""] = "\\\"", ["\\"] = "\\\\" }

local function quoted(text)
  return "\"" .. gsub(text, "[%c\"\\]", function(c)
    return ESCAPES[c] or c ~= "\x7f" and format("\\u%04x", byte(c)) or nil
  end) .. "\""
end

local function stringify(value)
  local kind = type(value)
  if kind == "nil" then return "null" end
  if kind == "number" then return is_finite(value) and number_text(value) or "null" end
  if kind == "string" then return quoted(value) end
  if kind ~= "table" then return text_of(value) end
  local parts = {}
  if words.is_array(value) or host.mark(value) == "list" then
    for place, item in ipairs(value) do parts[place] = stringify(item) end
    return "[" .. concat(parts, ",") .. "]"
  end
  for name, item in pairs(value) do parts[#parts + 1] = quoted(text_of(name)) .. ":" .. stringify(item) end
  return "{" .. concat(parts, ",") .. "}"
end

FUNCTIONS["JSON.stringify"] = function(value, ...)
  if select("#", ...) > 0 then error("JSON.stringify takes one value here", 0) end
  if value == nil then error("JSON.stringify of null or undefined is not supported", 0) end
  return stringify(value)
end

local function wrong_json() error("JSON.parse: this is not JSON", 0) end

local UNESCAPED = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ["\""] = "\"", ["\\"] = "\\", ["/"] = "/" }
local read_value

local function read_text(text, at)
  local parts = {}
  while true do
    local stop = find(text, "[%c\"\\]", at)
    if not stop then wrong_json() end
    parts[#parts + 1] = sub(text, at, stop - 1)
    local c = sub(text, stop, stop)
    if c == "\"" then return concat(parts), stop + 1 end
    if c ~= "\\" then wrong_json() end
    local escape = sub(text, stop + 1, stop + 1)
    if escape == "u" then
      local unit = tonumber(match(text, "^%x%x%x%x", stop + 2) or wrong_json(), 16)
      at = stop + 6
      if unit >= 0xd800 and unit < 0xdc00 then
        local low = tonumber(match(text, "^\\u(%x%x%x%x)", at) or wrong_json(), 16)
        unit, at = 0x10000 + (unit - 0xd800) * 0x400 + low - 0xdc00, at + 6
      end
      parts[#parts + 1] = to_character(unit)
    else
      parts[#parts + 1] = UNESCAPED[escape] or wrong_json()
      at = stop + 2
    end
  end
end

local function after_blanks(text, at) return find(text, "[^ \t\r\n]", at) or #text + 1 end

local function read_items(text, at, close, read)
  at = after_blanks(text, at)
  if sub(text, at, at) == close then return at + 1 end
  while true do
    at = after_blanks(text, read(after_blanks(text, at)))
    local c = sub(text, at, at)
    at = at + 1
    if c == close then return at end
    if c ~= "," then wrong_json() end
  end
end

function read_value(text, at, depth)
  if depth > 100 then error("JSON.parse: it is nested too deeply", 0) end
  local c = sub(text, at, at)
  if c == "\"" then return read_text(text, at + 1) end
  if c == "[" then
    local items = {}
    at = read_items(text, at + 1, "]", function(place)
      local item
      item, place = read_value(text, place, depth + 1)
      if item == nil then error("an array cannot contain null here", 0) end
      items[#items + 1] = item
      return place
    end)
    return words.list(items), at
  end
  if c == "{" then
    local fields = {}
    at = read_items(text, at + 1, "}", function(place)
      if sub(text, place, place) ~= "\"" then wrong_json() end
      local name
      name, place = read_text(text, place + 1)
      place = after_blanks(text, place)
      if sub(text, place, place) ~= ":" then wrong_json() end
      fields[name], place = read_value(text, after_blanks(text, place + 1), depth + 1)
      return place
    end)
    return words.map(fields), at
  end
  local word = match(text, "^%a+", at)
  if word == "true" then return true, at + 4 end
  if word == "false" then return false, at + 5 end
  if word == "null" then return nil, at + 4 end
  local numeral = match(text, "^-?%d+", at)
  if not numeral or find(numeral, "^-?0%d") then wrong_json() end
  numeral = numeral .. (match(text, "^%.%d+", at + #numeral) or "")
  numeral = numeral .. (match(text, "^[eE][+-]?%d+", at + #numeral) or "")
  return whole(tonumber(numeral) + 0.0), at + #numeral
end

FUNCTIONS["JSON.parse"] = function(value)
  local text = text_of(value)
  local read, at = read_value(text, after_blanks(text, 1), 1)
  if after_blanks(text, at) <= #text then wrong_json() end
  return read
end

function words.invoke(name, ...) return FUNCTIONS[name](...) end
