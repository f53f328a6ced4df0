-- An input: a format, then its arguments. The first letter of an argument says what it is:
-- i an integer or a number, x eight bytes of a number, t true, f false, n nil, s a string.

local input = fields()
local kinds = {
  i = function(text) return tonumber(text) end,
  x = function(text) return #text >= 8 and string.unpack("<d", text) or nil end,
  t = function() return true end,
  f = function() return false end,
  n = function() return nil end,
  s = function(text) return text end,
}

local count, arguments = math.min(#input - 1, 20), {}
for i = 1, count do
  local make = kinds[string.sub(input[i + 1], 1, 1)] or kinds.s
  arguments[i] = make(string.sub(input[i + 1], 2))
  -- A NaN has no sign in the sandbox: which one it has depends on the processor.
  if arguments[i] ~= arguments[i] then arguments[i] = "nan" end
end

-- Of a pointer the sandbox tells nothing.
if not string.find(input[1], "p", 1, true) then
  try(string.format, input[1], table.unpack(arguments, 1, count))
end

-- The same bytes as a format of pack, and the arguments as what it packs and unpacks.
-- A size of millions only asks the plain library for gigabytes.
if not string.find(input[1], "%d%d%d%d%d%d%d") then
  try(string.pack, input[1], table.unpack(arguments, 1, count))
end
try(string.packsize, input[1])
for i = 1, math.min(count, 4) do
  local text = arguments[i]
  if type(text) == "string" then
    try(string.unpack, input[1], text)
    try(string.unpack, input[1], text, 2)
    try(tonumber, text)
    try(tonumber, text, 16)
    try(tonumber, text, i * 7 + 2)
    try(utf8.len, text)
    try(utf8.len, text, -3, -1, true)
    try(utf8.codepoint, text, 1, -1, true)
    try(utf8.offset, text, -i)
  end
end
