-- Runs the function that maps a row of a log to an action of the flow.

local host = host
local error, setmetatable, tostring, type = error, setmetatable, tostring, type
local format = string.format

local map

-- Runs the file, which must return the function; returns the type of another result.
function host.map_file(reference)
  map = host.take(reference)()
  host.language.end_loading()
  host.freeze_globals()
  if type(map) ~= "function" then return type(map) end
end

-- Makes it an error to read a column of a CSV row that the header does not name.
local function closed(row, doubled)
  return setmetatable(row, { __index = function(_, name)
    local file, line = host.where()
    local place = format("%s:%d: ", file or "?", line or 0)
    if doubled[name] then
      error(format('%sthe header names the column "%s" twice', place, tostring(name)), 0)
    end
    error(format('%sthe log has no column "%s"%s', place, tostring(name),
      host.nearest(tostring(name), row)), 0)
  end })
end

-- Returns the kind of the result, the action or the reason, and the payload.
function host.map_row(row, is_closed, doubled)
  local action, payload = map(is_closed and closed(row, doubled) or row)
  if not action then
    if payload ~= nil and type(payload) ~= "string" then return "reason", type(payload) end
    return "skipped", payload or ""
  end
  if type(action) ~= "string" or action == "" then return "action", type(action) end
  if payload == nil then return "named", action end
  if type(payload) ~= "table" then return "payload", type(payload) end
  return "event", action, payload
end
