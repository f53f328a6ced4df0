-- Methods of ECMAScript's strings, arrays and numbers, for the expressions of SCXML documents.

local host = host
local error, ipairs, next, select, type = error, ipairs, next, select, type
local byte, char, find, format, gsub = string.byte, string.char, string.find, string.format, string.gsub
local lower, match, rep, sub, upper = string.lower, string.match, string.rep, string.sub, string.upper
local concat, insert, remove = table.concat, table.insert, table.remove
local codes, codepoint = utf8.codes, utf8.codepoint
local math_type, floor, to_integer = math.type, math.floor, math.tointeger

local words = host.ecmascript
local whole, text_of, number = words.whole, words.text_of, words.double
local number_text, NAN, trimmed_start, trimmed_end =
  words.number_text, words.NAN, words.trimmed_start, words.trimmed_end

-- Strings in units of UTF-16 ---------------------------------------------------------------------

local function is_ascii(text) return not find(text, "[\x80-\xff]") end

-- Returns the position of each unit, in bytes; false for the second unit of a surrogate pair.
local function units(text)
  local starts = {}
  for place, code in codes(text) do
    starts[#starts + 1] = place
    if code > 0xffff then starts[#starts + 1] = false end
  end
  starts[#starts + 1] = #text + 1
  return starts
end

local function length(text) return is_ascii(text) and #text or #units(text) - 1 end

-- Returns the units from `from` to before `to`, counted from 0; both must be within the string.
local function part(text, from, to)
  if from >= to then return "" end
  if is_ascii(text) then return sub(text, from + 1, to) end
  local starts = units(text)
  local first, last = starts[from + 1], starts[to + 1]
  if not first or not last then error("half of a surrogate pair is not supported", 0) end
  return sub(text, first, last - 1)
end

-- Returns the unit at a position in bytes.
local function unit_at(text, place) return is_ascii(text) and place - 1 or length(sub(text, 1, place - 1)) end

-- Returns an argument as a whole number, limited to a range.
local function index(value, otherwise, least, most)
  if value == nil then return otherwise end
  local x = number(value)
  if x ~= x then x = 0 end
  x = x < 0 and -floor(-x) or floor(x)
  if x < least then x = least elseif x > most then x = most end
  return to_integer(x)
end

-- The same; a number below 0 is counted from the end.
local function relative(value, otherwise, count)
  local x = index(value, otherwise, -count - 1, count)
  return x < 0 and (x + count < 0 and 0 or x + count) or x
end

local function plain_find(text, part, from)
  return find(text, part, from, true)
end

local function byte_of(text, unit)
  if is_ascii(text) then return unit + 1 end
  return units(text)[unit + 1] or error("half of a surrogate pair is not supported", 0)
end

local function ascii(text, name)
  if not is_ascii(text) then error(format("%s supports only ASCII letters", name), 0) end
  return text
end

local function replaced(text, old, new, all)
  if find(new, "$", 1, true) then error("$ in a replacement is not supported", 0) end
  local parts, at = {}, 1
  while true do
    local first, last = plain_find(text, old, at)
    if not first then break end
    parts[#parts + 1] = sub(text, at, first - 1) .. new
    if last < first then
      if not all then at = first break end
      error("replacing every empty string is not supported", 0)
    end
    at = last + 1
    if not all then break end
  end
  return concat(parts) .. sub(text, at)
end

local TEXT = {}

function TEXT.charAt(text, at)
  local count = length(text)
  local place = index(at, 0, -1, count)
  return place < 0 and "" or part(text, place, place < count and place + 1 or place)
end

function TEXT.charCodeAt(text, at)
  local character = TEXT.charAt(text, at)
  return character == "" and NAN or codepoint(character)
end

function TEXT.indexOf(text, wanted, from)
  wanted = text_of(wanted)
  local place = plain_find(text, wanted, byte_of(text, index(from, 0, 0, length(text))))
  return place and unit_at(text, place) or -1
end

function TEXT.lastIndexOf(text, wanted)
  wanted = text_of(wanted)
  for at = #text - #wanted + 1, 1, -1 do
    if sub(text, at, at + #wanted - 1) == wanted then return unit_at(text, at) end
  end
  return -1
end

function TEXT.includes(text, wanted) return plain_find(text, text_of(wanted), 1) ~= nil end
function TEXT.startsWith(text, wanted)
  wanted = text_of(wanted)
  return sub(text, 1, #wanted) == wanted
end
function TEXT.endsWith(text, wanted)
  wanted = text_of(wanted)
  return #wanted <= #text and sub(text, #text - #wanted + 1) == wanted
end

function TEXT.slice(text, from, to)
  local count = length(text)
  return part(text, relative(from, 0, count), relative(to, count, count))
end

function TEXT.substring(text, from, to)
  local count = length(text)
  local first, last = index(from, 0, 0, count), index(to, count, 0, count)
  if first > last then first, last = last, first end
  return part(text, first, last)
end

function TEXT.substr(text, from, size)
  local count = length(text)
  local first = relative(from, 0, count)
  return part(text, first, first + index(size, count - first, 0, count - first))
end

function TEXT.toUpperCase(text) return upper(ascii(text, "toUpperCase")) end
function TEXT.toLowerCase(text) return lower(ascii(text, "toLowerCase")) end
function TEXT.trim(text) return trimmed_end(trimmed_start(text)) end
TEXT.trimStart, TEXT.trimEnd = trimmed_start, trimmed_end
function TEXT.toString(text) return text end

function TEXT.concat(text, ...)
  local parts = { text }
  for place = 1, select("#", ...) do parts[place + 1] = text_of((select(place, ...))) end
  return concat(parts)
end

TEXT["repeat"] = function(text, count)
  local times = index(count, 0, -1, 2 ^ 31)
  if times < 0 then error("repeat takes a count of at least 0", 0) end
  return rep(text, times)
end

function TEXT.replace(text, old, new) return replaced(text, text_of(old), text_of(new), false) end
function TEXT.replaceAll(text, old, new) return replaced(text, text_of(old), text_of(new), true) end

local function padding(text, count, filler)
  filler = filler == nil and " " or text_of(filler)
  ascii(text .. filler, "padding")
  local missing = index(count, 0, 0, 2 ^ 31) - #text
  if missing <= 0 or filler == "" then return "" end
  return sub(rep(filler, missing // #filler + 1), 1, missing)
end
function TEXT.padStart(text, count, filler) return padding(text, count, filler) .. text end
function TEXT.padEnd(text, count, filler) return text .. padding(text, count, filler) end

function TEXT.split(text, separator)
  if separator == nil then return words.list({ text }) end
  separator = text_of(separator)
  local parts, at = {}, 1
  if separator == "" then
    for unit = 0, length(text) - 1 do parts[unit + 1] = part(text, unit, unit + 1) end
    return words.list(parts)
  end
  while true do
    local first, last = plain_find(text, separator, at)
    if not first then break end
    parts[#parts + 1] = sub(text, at, first - 1)
    at = last + 1
  end
  parts[#parts + 1] = sub(text, at)
  return words.list(parts)
end

-- Arrays -----------------------------------------------------------------------------------------

local ARRAY = {}

function ARRAY.indexOf(array, wanted, from)
  for place = relative(from, 0, #array) + 1, #array do
    local item = array[place]
    if type(item) ~= "table" and item == wanted then return place - 1 end
  end
  return -1
end

function ARRAY.lastIndexOf(array, wanted)
  for place = #array, 1, -1 do
    local item = array[place]
    if type(item) ~= "table" and item == wanted then return place - 1 end
  end
  return -1
end

function ARRAY.includes(array, wanted)
  for _, item in ipairs(array) do
    if type(item) ~= "table" and (item == wanted or item ~= item and wanted ~= wanted) then return true end
  end
  return false
end

function ARRAY.join(array, separator)
  local parts = {}
  for place, item in ipairs(array) do parts[place] = text_of(item) end
  return concat(parts, separator == nil and "," or text_of(separator))
end

function ARRAY.toString(array) return text_of(array) end

function ARRAY.slice(array, from, to)
  local items = {}
  for place = relative(from, 0, #array) + 1, relative(to, #array, #array) do items[#items + 1] = array[place] end
  return words.list(items)
end

function ARRAY.concat(array, ...)
  local items = {}
  for place, item in ipairs(array) do items[place] = item end
  for place = 1, select("#", ...) do
    local more = select(place, ...)
    if words.is_array(more) then
      for _, item in ipairs(more) do items[#items + 1] = item end
    elseif more == nil then
      error("an array cannot contain null here", 0)
    else
      items[#items + 1] = more
    end
  end
  return words.list(items)
end

-- Methods that change an array; only scripts can use them.
local CHANGES = {}

function CHANGES.push(array, ...)
  for place = 1, select("#", ...) do insert(array, (select(place, ...))) end
end
function CHANGES.unshift(array, ...)
  for place = 1, select("#", ...) do insert(array, place, (select(place, ...))) end
end
function CHANGES.pop(array) if #array > 0 then remove(array) end end
function CHANGES.shift(array) if #array > 0 then remove(array, 1) end end

function words.change(array, name, ...)
  if type(array) ~= "table" or not (words.is_array(array) or next(array) == nil) then
    error(format("%s changes an array, not %s", name, text_of(array)), 0)
  end
  CHANGES[name](array, ...)
end

-- Numbers as objects -----------------------------------------------------------------------------

local NUMBER = {}

function NUMBER.toString(x, radix)
  if radix == nil or radix == 10 then return number_text(x) end
  if math_type(x) ~= "integer" or radix < 2 or radix > 36 then
    error("toString takes whole numbers and a radix of 2 to 36 here", 0)
  end
  local text, rest = "", x < 0 and -x or x
  repeat
    local digit = rest % radix
    text = char(digit < 10 and 48 + digit or 87 + digit) .. text
    rest = rest // radix
  until rest == 0
  return (x < 0 and "-" or "") .. text
end

function NUMBER.toFixed(x, count)
  count = index(count, 0, -1, 21)
  if count < 0 or count > 20 then error("toFixed takes 0 to 20 digits here", 0) end
  if x ~= x or x >= 1e21 or x <= -1e21 then return number_text(x) end
  local value = (x < 0 and -x or x) + 0.0
  local text = format("%." .. count .. "f", value)
  -- C rounds a half to the even digit, ECMAScript up.
  local exact = format("%." .. count + 30 .. "f", value)
  if match(sub(exact, -30), "^50+$") then
    local digits = gsub(sub(exact, 1, -31), "%.$", "")
    if digits == text then
      local places = {}
      for at = 1, #text do places[at] = sub(text, at, at) end
      local at = #places
      while at > 0 and (places[at] == "9" or places[at] == ".") do
        if places[at] == "9" then places[at] = "0" end
        at = at - 1
      end
      if at == 0 then insert(places, 1, "1") else places[at] = char(byte(places[at]) + 1) end
      text = concat(places)
    end
  end
  return (x < 0 and "-" or "") .. text
end

-- Members and calls ------------------------------------------------------------------------------

-- Returns the member with a computed name.
function words.get(value, key)
  if type(value) == "string" then
    if key == "length" then return length(value) end
    if math_type(key) ~= "integer" then return nil end
    if key < 0 or key >= length(value) then return nil end
    return part(value, key, key + 1)
  end
  if type(value) == "table" then return value[words.place(key)] end
  if value == nil then error("null or undefined has no members", 0) end
  return nil
end

function words.call(value, name, ...)
  local kind = type(value)
  local methods = kind == "string" and TEXT or kind == "number" and NUMBER
    or kind == "table" and (words.is_array(value) or host.mark(value) == "list") and ARRAY
  local method = methods and methods[name]
  if kind == "boolean" and name == "toString" then return text_of(value) end
  if not method then
    local owner = kind == "table" and "this object" or kind == "nil" and "null or undefined" or "a " .. kind
    error(format("there is no method %s of %s", name, owner), 0)
  end
  return method(value, ...)
end
