-- An input: pattern, subject, replacement, init, most; the last three may be missing.

local input = fields()
local pattern, subject, replacement = input[1], input[2] or "", input[3] or "%0"
local init, most = tonumber(input[4] or ""), tonumber(input[5] or "")

local kind = string.sub(replacement, 1, 1)
if kind == "{" then
  replacement = { a = "1", b = 2, c = false, ab = 1.5, [1] = "one", [""] = "-", [" "] = {} }
elseif kind == "(" then
  local count = 0
  replacement = function(a, b)
    count = count + 1
    if count % 5 == 0 then return nil end
    if count % 7 == 0 then return false end
    return (type(a) == "string" and string.upper(a) or a) .. (b or "")
  end
end

local function all(...)
  local found = {}
  for a, b in string.gmatch(...) do
    found[#found + 1] = tostring(a) .. "/" .. tostring(b)
    if #found > 40 then break end
  end
  return table.concat(found, " ")
end

try(string.find, subject, pattern, init)
try(string.find, subject, pattern, init, true)
try(string.match, subject, pattern, init)
try(all, subject, pattern, init)
try(string.gsub, subject, pattern, replacement, most)
