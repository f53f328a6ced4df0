-- Writes values so that they can be read and pasted back: for the prompt, and for `print` there and in scenarios.

local host = host
local concat, format, match, rep, sub = table.concat, string.format, string.match, string.rep, string.sub
local getmetatable, math_type, next, pairs, rawequal, select, tonumber, tostring, type, unpack =
  getmetatable, math.type, next, pairs, rawequal, select, tonumber, tostring, type, table.unpack

-- The greatest depth, number of entries of a table, length of a string, and width of a line.
local limits = { depth = 6, items = 40, text = 2000, width = 90 }

function host.inspect_limit(name, value) limits[name] = value end

local function is_name(text)
  return match(text, "^[%a_][%w_]*$") ~= nil
end

local function number_text(value)
  if math_type(value) == "integer" then
    return value == math.mininteger and "math.mininteger" or tostring(value)
  end
  if value ~= value then return "0/0" end
  if value == math.huge then return "math.huge" end
  if value == -math.huge then return "-math.huge" end
  local text = tostring(value)
  return tonumber(text) == value and text or format("%.17g", value)
end

local function string_text(value)
  local rest = #value - limits.text
  if rest > 0 then
    local last = limits.text
    while last > 0 and match(value, "^[\128-\191]", last + 1) do last = last - 1 end
    rest, value = #value - last, sub(value, 1, last)
  end
  local quoted = host.printable(format("%q", value)):gsub("\\\n", "\\n")
  return rest > 0 and format("%s --[[ and %d more bytes ]]", quoted, rest) or quoted
end

local function function_text(value)
  local readable, file, line = host.protect(host.where_defined, value)
  if readable and file and file ~= "?" and line and line > 0 then return format("function (%s:%d)", tostring(file), line) end
  return "function"
end

local inspect

-- Shown in place of a value that the types of the state declare as secret.
local DOTS = '"•••"'

local function add_entry(parts, key, element, depth, length, node)
  local hides_value, hides_key = host.is_secret(node, key)
  local text = hides_value and DOTS or inspect(element, depth + 1)
  if hides_key then
    parts[#parts + 1] = "[" .. DOTS .. "] = " .. text
    return
  end
  if math_type(key) == "integer" and key >= 1 and key <= length then
    parts[#parts + 1] = text
  elseif type(key) == "string" and is_name(key) then
    parts[#parts + 1] = key .. " = " .. text
  else
    parts[#parts + 1] = "[" .. inspect(key, depth + 1) .. "] = " .. text
  end
end

-- Reads a list of the state by index, so that the cost depends only on the elements that are shown.
local function list_parts(value, depth, length)
  local parts = {}
  for index = 1, length < limits.items and length or limits.items do
    parts[index] = host.is_secret(value, index) and DOTS or inspect(value[index], depth + 1)
  end
  if length > limits.items then
    parts[#parts + 1] = format("--[[ and %d more ]]", length - limits.items)
  end
  return parts
end

local function inspect_table(value, depth)
  if host.is_secret(value) then return DOTS end
  if depth > limits.depth then return "{ --[[ deeper ]] }" end
  local parts, length = {}, #value
  -- Without the word, Lua would read integer keys as those of a list.
  local is_map = host.mark(value) == "map" and math_type((next(value))) == "integer"
  if is_map then length = 0 end
  if length > 0 and host.kind(value) == "node" then
    parts = list_parts(value, depth, length)
  else
    local readable, iterator, subject, first = host.protect(pairs, value)
    if not readable then return "{ --[[ keys that have no order ]] }" end
    local count = 0
    for key, element in iterator, subject, first do
      count = count + 1
      if count > limits.items then
        parts[#parts + 1] = length >= count and format("--[[ and %d more ]]", length - count + 1)
          or "--[[ and more ]]"
        break
      end
      add_entry(parts, key, element, depth, length, value)
    end
  end
  if #parts == 0 then return "{}" end
  local word = is_map and "map " or ""
  local line = word .. "{ " .. concat(parts, ", ") .. " }"
  if #line + depth * 2 <= limits.width and not match(line, "\n") then return line end
  local indent = rep("  ", depth)
  return word .. "{\n" .. indent .. concat(parts, ",\n" .. indent) .. ",\n" .. rep("  ", depth - 1) .. "}"
end

inspect = function(value, depth)
  if rawequal(value, host.none) then return "none" end
  local kind = type(value)
  if kind == "string" then return string_text(value) end
  if kind == "number" then return number_text(value) end
  if kind == "table" then return inspect_table(value, depth) end
  if kind == "function" then return function_text(value) end
  if kind == "nil" or kind == "boolean" then return tostring(value) end
  return format("nil --[[ %s ]]", kind)
end

function host.inspect(value) return inspect(value, 1) end

-- Returns true if the table has its own `__tostring`.
local function has_text(value)
  local metatable = getmetatable(value)
  return type(metatable) == "table" and metatable.__tostring ~= nil
end

-- Returns a `print` that shows the contents of tables.
function host.inspecting_print(print)
  return function(...)
    local shown = { ... }
    for place = 1, select("#", ...) do
      local value = shown[place]
      if type(value) == "table" and not has_text(value) then shown[place] = inspect(value, 1) end
    end
    print(unpack(shown, 1, select("#", ...)))
  end
end
