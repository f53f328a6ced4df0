-- Reads and writes the state by path, for the rules and reducers of the host. A path is a list of keys. Every write
-- goes through the barrier, as a script's does.

local host = host
local error, math_type, tostring, type = error, math.type, tostring, type
local format, match = string.format, string.match
local insert, remove = table.insert, table.remove

-- The first keys of a path as messages write them: rows[1].note.
local function shown(path, count)
  local text = ""
  for index = 1, count do
    local key = path[index]
    if math_type(key) then text = format("%s[%d]", text, key)
    elseif not match(key, "^[%a_][%w_]*$") then text = format("%s[%q]", text, key)
    else text = text == "" and key or text .. "." .. key end
  end
  return text == "" and "the state" or text
end

local function reach(path, depth)
  local value = host.root()
  for index = 1, depth do
    if type(value) ~= "table" then
      error(format("%s: %s is %s, which has no fields", shown(path, #path), shown(path, index - 1),
        value == nil and "nothing" or "a " .. type(value)), 0)
    end
    value = value[path[index]]
  end
  return value
end

-- Returns the table that contains the path's last key, and that key.
local function above(path)
  if #path == 0 then error("the whole state cannot be written: name a field", 0) end
  local node = reach(path, #path - 1)
  if type(node) ~= "table" then reach(path, #path) end  -- raises the error
  return node, path[#path]
end

local function position(path, list, key, last)
  if math_type(key) ~= "integer" or key < 1 or key > last then
    error(format("%s: %s is not a position in a list of %d", shown(path, #path), tostring(key), #list), 0)
  end
  return key
end

function host.read_at(path)
  return reach(path, #path)
end

function host.set_at(path, value)
  local node, key = above(path)
  node[key] = value
end

function host.append_at(path, value)
  local list = reach(path, #path)
  if type(list) ~= "table" then
    error(format("%s is %s, not a list", shown(path, #path),
      list == nil and "nothing" or "a " .. type(list)), 0)
  end
  insert(list, value)
end

function host.insert_at(path, value)
  local list, key = above(path)
  insert(list, position(path, list, key, #list + 1), value)
end

function host.remove_at(path)
  local node, key = above(path)
  local old = node[key]
  -- A map with integer keys may look like a list, but holes are allowed in it.
  if math_type(key) == "integer" and host.mark(node) ~= "map" then
    return remove(node, position(path, node, key, #node))
  end
  node[key] = nil
  return old
end
