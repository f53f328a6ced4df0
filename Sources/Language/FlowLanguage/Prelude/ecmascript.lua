-- ECMAScript's operators, for the expressions of SCXML documents.
--
-- A number is a double: a whole number up to 2^53 is an integer of Lua, any other number a float. Lengths of strings
-- are in units of UTF-16. null and undefined are both nil, so expressions that would distinguish them are errors.

local host = host
local error, ipairs, next, tonumber, type = error, ipairs, next, tonumber, type
local format, gsub, lower = string.format, string.gsub, string.lower
local match, rep, sub = string.match, string.rep, string.sub
local concat = table.concat
local math_type, floor, fmod, huge, to_integer = math.type, math.floor, math.fmod, math.huge, math.tointeger

local words = {}
host.ecmascript = words

local WHOLE = 2.0 ^ 53
local NAN = -(0 / 0)

-- Numbers ----------------------------------------------------------------------------------------

-- Returns a number as it is stored in a variable.
local function whole(x)
  if x ~= x then return NAN end
  if x == floor(x) and x <= WHOLE and x >= -WHOLE and not (x == 0 and 1 / x < 0) then return to_integer(x) end
  return x
end

-- Returns the digits of a number above 0, and the place of its point: 0.d1d2... * 10^place.
local function digits_of(x)
  for precision = x < 1e-300 and 0 or 14, 16 do
    local text = format("%." .. precision .. "e", x)
    if precision == 16 or tonumber(text) == x then
      local digits, exponent = match(text, "^([%d.]+)e([+-]%d+)$")
      digits = gsub(gsub(digits, "%.", ""), "0+$", "")
      return digits, tonumber(exponent) + 1
    end
  end
end

local function number_text(x)
  if x ~= x then return "NaN" end
  if x == 0 then return "0" end
  if x < 0 then return "-" .. number_text(-x) end
  if x == huge then return "Infinity" end
  local digits, place = digits_of(x + 0.0)
  local count = #digits
  if count <= place and place <= 21 then return digits .. rep("0", place - count) end
  if 0 < place and place <= 21 then return sub(digits, 1, place) .. "." .. sub(digits, place + 1) end
  if -6 < place and place <= 0 then return "0." .. rep("0", -place) .. digits end
  local exponent = format("e%s%d", place > 0 and "+" or "-", place > 0 and place - 1 or 1 - place)
  return sub(digits, 1, 1) .. (count > 1 and "." .. sub(digits, 2) or "") .. exponent
end

-- Removes all matches of the patterns, repeatedly.
local function without(text, patterns)
  local length
  repeat
    length = #text
    for _, pattern in ipairs(patterns) do text = gsub(text, pattern, "") end
  until #text == length
  return text
end

local AT_START = { "^%s+", "^\u{a0}", "^\u{feff}" }
local AT_END = { "%s+$", "\u{a0}$", "\u{feff}$" }

local function trimmed_start(text) return without(text, AT_START) end
local function trimmed_end(text) return without(text, AT_END) end

-- Returns the decimal number at the start of a string, and the rest.
local function leading_number(text)
  local mantissa = match(text, "^[+-]?%d+%.?%d*") or match(text, "^[+-]?%.%d+")
  if not mantissa then return nil end
  local exponent = match(text, "^[eE][+-]?%d+", #mantissa + 1) or ""
  return tonumber(mantissa .. exponent) + 0.0, sub(text, #mantissa + #exponent + 1)
end

local PREFIXES = { ["0x"] = 16, ["0o"] = 8, ["0b"] = 2 }

local function digits_value(text, radix)
  local value = 0.0
  for at = 1, #text do
    local digit = tonumber(sub(text, at, at), radix)
    if not digit then return nil, at end
    value = value * radix + digit
  end
  return value
end

local function number_of_text(text)
  text = trimmed_end(trimmed_start(text))
  if text == "" then return 0.0 end
  local radix = PREFIXES[lower(sub(text, 1, 2))]
  if radix then return #text > 2 and digits_value(sub(text, 3), radix) or NAN end
  local sign, name = match(text, "^([+-]?)(Infinity)$")
  if name then return sign == "-" and -huge or huge end
  local value, rest = leading_number(text)
  return rest == "" and value or NAN
end

local number

local function text_of(value)
  local kind = type(value)
  if kind == "string" then return value end
  if kind == "nil" then return "undefined" end
  if kind == "number" then return number_text(value) end
  if kind == "boolean" then return value and "true" or "false" end
  if kind ~= "table" then error(format("a %s cannot be a value here", kind), 0) end
  if not words.is_array(value) and next(value) ~= nil then return "[object Object]" end
  if not words.is_array(value) then return host.mark(value) == "list" and "" or "[object Object]" end
  local parts = {}
  for place, part in ipairs(value) do parts[place] = text_of(part) end
  return concat(parts, ",")
end

-- Returns a value as a double.
function number(value)
  local kind = type(value)
  if kind == "number" then return math_type(value) == "float" and value or value + 0.0 end
  if kind == "boolean" then return value and 1.0 or 0.0 end
  if kind == "string" then return number_of_text(value) end
  if kind == "nil" then error("null or undefined cannot be a number here", 0) end
  return number_of_text(text_of(value))
end

function words.number(value) return whole(number(value)) end
function words.negate(value) return whole(-number(value)) end
function words.minus(one, other) return whole(number(one) - number(other)) end
function words.times(one, other) return whole(number(one) * number(other)) end
function words.over(one, other) return whole(number(one) / number(other)) end

function words.modulo(one, other)
  one, other = number(one), number(other)
  if one ~= one or other ~= other or other == 0 or one == huge or one == -huge then return NAN end
  if other == huge or other == -huge then return whole(one) end
  local rest = fmod(one, other)
  if rest == 0 and (one < 0 or 1 / one < 0) then rest = -0.0 end
  return whole(rest)
end

function words.plus(one, other)
  local a, b = type(one), type(other)
  if a == "string" or b == "string" or a == "table" or b == "table" then return text_of(one) .. text_of(other) end
  return whole(number(one) + number(other))
end

-- Comparisons ------------------------------------------------------------------------------------

local function comparable(value) return type(value) == "table" and text_of(value) or value end

function words.less(one, other)
  one, other = comparable(one), comparable(other)
  if type(one) == "string" and type(other) == "string" then return one < other end
  return number(one) < number(other)
end

function words.at_most(one, other)
  one, other = comparable(one), comparable(other)
  if type(one) == "string" and type(other) == "string" then return one <= other end
  return number(one) <= number(other)
end

function words.equals(one, other)
  local a, b = type(one), type(other)
  if a == b or one == nil or other == nil then return one == other end
  one, other = comparable(one), comparable(other)
  if type(one) == "string" and type(other) == "string" then return one == other end
  return number(one) == number(other)
end

words.whole, words.text_of, words.double, words.number_text = whole, text_of, number, number_text
words.trimmed_start, words.trimmed_end = trimmed_start, trimmed_end
words.leading_number, words.digits_value, words.NAN, words.WHOLE = leading_number, digits_value, NAN, WHOLE
