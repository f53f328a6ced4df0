-- What a line at the prompt can say: actions by their names, the state as `s`, views, and Lua.

local host = host
local concat, format, match, rep = table.concat, string.format, string.match, string.rep
local ipairs, math_type, next, pairs, select, setmetatable, tostring, type =
  ipairs, math.type, next, pairs, select, setmetatable, tostring, type

local function offer(name)
  return function(payload) host.session_dispatch(name, payload == nil and {} or payload) end
end

-- Printing ---------------------------------------------------------------------------------------

local DEEPEST, WIDEST = 6, 40

local function is_name(text)
  return match(text, "^[%a_][%w_]*$") ~= nil
end

local inspect

local function inspect_table(value, depth)
  if depth > DEEPEST then return "{ --[[ deeper ]] }" end
  local readable, iterator, subject, first = host.protect(pairs, value)
  if not readable then return "{ --[[ keys that have no order ]] }" end
  local parts, count, length = {}, 0, #value
  for key, element in iterator, subject, first do
    count = count + 1
    if count > WIDEST then
      parts[#parts + 1] = "--[[ and more ]]"
      break
    end
    local text = inspect(element, depth + 1)
    if math_type(key) == "integer" and key >= 1 and key <= length then
      parts[#parts + 1] = text
    elseif type(key) == "string" and is_name(key) then
      parts[#parts + 1] = key .. " = " .. text
    else
      parts[#parts + 1] = "[" .. inspect(key, depth + 1) .. "] = " .. text
    end
  end
  if #parts == 0 then return "{}" end
  local line = "{ " .. concat(parts, ", ") .. " }"
  if #line + depth * 2 <= 90 then return line end
  local indent = rep("  ", depth)
  return "{\n" .. indent .. concat(parts, ",\n" .. indent) .. ",\n" .. rep("  ", depth - 1) .. "}"
end

inspect = function(value, depth)
  if type(value) == "string" then return (format("%q", value):gsub("\\\n", "\\n")) end
  if type(value) == "table" then return inspect_table(value, depth) end
  if value == host.none then return "none" end
  return tostring(value)
end

-- Evaluating -------------------------------------------------------------------------------------

local words = {
  pass = setmetatable({}, { __index = function(_, name) return offer(name) end }),
  dispatch = function(name, payload) return offer(name)(payload) end,
}

local environment, names = host.new_environment(words, function(name)
  if name == "s" then return host.root() end
  if type(name) == "string" and host.session_action(name) then return offer(name) end
end)

local function results(...)
  if select("#", ...) == 0 then return "done" end
  names._ = (...)
  local texts = {}
  for index = 1, select("#", ...) do texts[index] = inspect((select(index, ...)), 1) end
  return "done", concat(texts, "\t")
end

-- `above` is line ends only: it gives the text the line numbers of the whole input.
function host.session_evaluate(text, input, above)
  local chunk = host.compile(above .. "return " .. text, input, environment)
  local message
  if not chunk then chunk, message = host.compile(above .. text, input, environment) end
  if not chunk then
    if match(message, "<eof>$") then return "incomplete" end
    return "syntax", message
  end
  return results(chunk())
end
