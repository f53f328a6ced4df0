-- The function that says what a row of a log offers the flow.

local host = host
local error, setmetatable, tostring, type = error, setmetatable, tostring, type
local format = string.format

local map

-- Runs the file, which returns the function; gives what it returned instead.
function host.map_file(reference)
  map = host.take(reference)()
  host.language.end_loading()
  host.freeze_globals()
  if type(map) ~= "function" then return type(map) end
end

-- A row of CSV has the columns that the header names, and no other.
local function closed(row)
  return setmetatable(row, { __index = function(_, name)
    local file, line = host.where()
    error(format("%s:%d: the log has no column %s%s", file or "?", line or 0, tostring(name),
      host.nearest(tostring(name), row)), 0)
  end })
end

-- Gives what kind of answer it was, the action or the reason, and the payload.
function host.map_row(row, is_closed)
  local action, payload = map(is_closed and closed(row) or row)
  if not action then
    if payload ~= nil and type(payload) ~= "string" then return "reason", type(payload) end
    return "skipped", payload or ""
  end
  if type(action) ~= "string" or action == "" then return "action", type(action) end
  if payload == nil then return "named", action end
  if type(payload) ~= "table" then return "payload", type(payload) end
  return "event", action, payload
end
