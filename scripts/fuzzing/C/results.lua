-- What both libraries run before a target: the fields of an input, and results as one line.
--
-- Fields are divided by the byte 31, which keeps the files of a corpus readable.

function fields()
  local text, found, at = input(), {}, 1
  while true do
    local stop = string.find(text, "\31", at, true)
    found[#found + 1] = string.sub(text, at, (stop or 0) - 1)
    if not stop then return found end
    at = stop + 1
  end
end

local function show(value)
  local kind = type(value)
  -- A NaN has no sign in the sandbox: which sign it has depends on the processor.
  if kind == "string" then return string.format("%q", (string.gsub(value, "%-nan", "nan"))) end
  if kind == "number" then
    if value ~= value then return "NaN" end
    return math.type(value) == "integer" and tostring(value) or string.format("%a", value)
  end
  return kind == "nil" and "nil" or kind == "boolean" and tostring(value) or kind
end

local function pass(...) return ... end

local function line(ok, ...)
  local parts = { ok and "=" or "!" }
  for i = 1, math.min(select("#", ...), 300) do parts[#parts + 1] = show((select(i, ...))) end
  emit(table.concat(parts, " "))
end

-- Tells what a call comes to. It is no tail call, so that messages name `f` and this line.
function try(f, ...)
  line(pcall(function(...) return pass(f(...)) end, ...))
end
