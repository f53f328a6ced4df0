-- Random calls of the library, one line of results each. The same file runs in the sandbox and in
-- plain Lua of the same release; the two outputs must be the same, byte for byte.

local emit = emit or print
local cases = CASES
local state = SEED
-- Our library does what that of 5.4.4 does, with whatever release of Lua. What others do otherwise is
-- not looked at there: flags of formats, places of bytes that are no UTF-8, and which argument is blamed.
local is_like_ours = RELEASE >= 50404 and RELEASE < 50406

-- MARK: Chance and results

local function random(n)
  state = state * 6364136223846793005 + 1442695040888963407
  return (state >> 33) % n + 1
end

local function pick(list) return list[random(#list)] end

local function show(value)
  local kind = type(value)
  if kind == "string" then return string.format("%q", value) end
  if kind == "number" then
    if value ~= value then return "NaN" end
    return math.type(value) == "integer" and tostring(value) or string.format("%a", value)
  end
  if kind == "table" then
    local parts = {}
    for i = 1, #value do parts[i] = show(value[i]) end
    return "{" .. table.concat(parts, ",") .. "}"
  end
  return kind == "nil" and "nil" or kind == "boolean" and tostring(value) or kind
end

local function results(ok, ...)
  local message = ...
  if not ok and not is_like_ours and type(message) == "string" then
    return "! " .. message:gsub("bad argument #%d", "bad argument")
  end
  local parts = { ok and "=" or "!" }
  for i = 1, math.min(select("#", ...), 300) do parts[#parts + 1] = show((select(i, ...))) end
  return table.concat(parts, " ")
end

local function pass(...) return ... end

-- The call is no tail call: messages name the function `f` and this line.
local function try(f, ...)
  return results(pcall(function(...) return pass(f(...)) end, ...))
end

-- MARK: Patterns

local LETTERS = { "a", "b", "c", "a", "b", "A", "1", " ", "-", "]", "%", "\0", "(", ")", ".", "\200", "\n" }
local CLASSES = { "%a", "%c", "%d", "%g", "%l", "%p", "%s", "%u", "%w", "%x", "%A", "%C", "%D", "%G",
  "%L", "%P", "%S", "%U", "%W", "%X", "%.", "%%", "%]", "%-", "%z", "%\200", "%(" }
local SUFFIXES = { "", "", "", "", "*", "+", "-", "?" }

local function text(most)
  local parts = {}
  for i = 1, random(most + 1) - 1 do parts[i] = pick(LETTERS) end
  return table.concat(parts)
end

local function simple_text(most)
  local parts = {}
  for i = 1, random(most + 1) - 1 do parts[i] = pick { "a", "b", "c", "(", ")", "1", " " } end
  return table.concat(parts)
end

local function set()
  local parts = { "[", pick { "", "", "^" } }
  if random(8) == 1 then parts[#parts + 1] = "]" end
  for _ = 1, random(3) do
    local kind = random(5)
    if kind == 1 then
      parts[#parts + 1] = pick { "a-c", "A-Z", "0-9", "c-a", "a-", "-a", "%a-z", "a-%z", "\0-\31", "\128-\255" }
    elseif kind == 2 then
      parts[#parts + 1] = pick(CLASSES)
    else
      parts[#parts + 1] = pick { "a", "b", "c", "1", " ", "^", "(", ".", "\200" }
    end
  end
  parts[#parts + 1] = random(40) == 1 and "" or "]"
  return table.concat(parts)
end

local function item(depth)
  local kind = random(24)
  if kind <= 8 then return pick { "a", "b", "c", "1", " ", "b" } .. pick(SUFFIXES) end
  if kind <= 11 then return "." .. pick(SUFFIXES) end
  if kind <= 14 then return pick(CLASSES) .. pick(SUFFIXES) end
  if kind <= 17 then return set() .. pick(SUFFIXES) end
  if kind == 18 then return pick { "%b()", "%bab", "%baa", "%b", "%b(", "%b\0a" } end
  if kind == 19 then return "%f" .. (random(12) == 1 and "a" or set()) end
  if kind == 20 then return "%" .. pick { "1", "1", "1", "2", "3", "0", "9" } .. pick(SUFFIXES) end
  if kind == 21 then return pick { "()", "^", "$", "-", "*", "?", "+", ")", "]", "%" } end
  if depth > 3 then return "a" end
  local parts = { "(" }
  for _ = 1, random(3) do parts[#parts + 1] = item(depth + 1) end
  parts[#parts + 1] = random(30) == 1 and "" or ")"
  return table.concat(parts)
end

local function pattern()
  if random(25) == 1 then return text(8) end
  local parts = { pick { "", "", "", "", "^" } }
  for _ = 1, random(5) do parts[#parts + 1] = item(1) end
  parts[#parts + 1] = pick { "", "", "", "", "$" }
  return table.concat(parts)
end

local function all_matches(subject, p, init)
  local found = {}
  for a, b, c in string.gmatch(subject, p, init) do
    found[#found + 1] = { a, b or false, c or false }
    if #found > 40 then break end
  end
  return found
end

local TEMPLATES = { "", "x", "%0", "<%1>", "%1%2", "%%", "%2", "%3", "%", "%x", "a%0b%0", 7, "\0%1" }

local function replacement()
  local kind = random(4)
  if kind <= 2 then return pick(TEMPLATES) end
  if kind == 3 then return { a = "1", b = 2, c = false, ab = 1.5, [1] = "one", [""] = "-", [" "] = {} } end
  local count = 0
  return function(a, b)
    count = count + 1
    if count % 5 == 0 then return nil end
    if count % 7 == 0 then return false end
    return (type(a) == "string" and a:upper() or a) .. (b or "")
  end
end

local function try_patterns()
  local subject, p = random(2) == 1 and simple_text(14) or text(14), pattern()
  local init = random(4) == 1 and random(20) - 10 or nil
  local lines = {
    show(subject), show(p), show(init),
    try(string.find, subject, p, init, random(15) == 1),
    try(string.match, subject, p, init),
    try(all_matches, subject, p, init),
    try(string.gsub, subject, p, replacement(), random(5) == 1 and random(4) - 1 or nil),
  }
  emit(table.concat(lines, "  "))
end

-- MARK: Formats

local FLAGS = { "", "", "", "-", "+", " ", "#", "0", "-0", "+0", "-+", "# ", "-#0" }
local WIDTHS = { "", "", "", "1", "5", "12", "40", "99", "100", "012" }
local PRECISIONS = { "", "", "", ".", ".0", ".3", ".14", ".99", ".100", ".." }
local CONVERSIONS = { "d", "i", "u", "o", "x", "X", "c", "a", "A", "e", "E", "f", "g", "G", "s", "q",
  "s", "d", "g", "f", "F", "y", "%", "n", "", "\0", "S" }
local VALUES = { 0, 1, -1, 65, 255, 256, 1 << 40, math.maxinteger, math.mininteger, 0.0, -0.0, 1.0, 1.5,
  -2.25, 1e15, 1e100, 1e308, 5e-324, 1 / 3, 2 ^ 53, 2 ^ 63, 1 / 0, -1 / 0, "10", "0x10", "1e2", "abc", "",
  " 5 ", "a\0b", "a\nb\"\\\r\1272\0019", true, false, {} == nil, ("x"):rep(120), "\200\255" }

local function one_format()
  if random(10) == 1 then return pick { "%%", "x", "", "%", "a\0b" } end
  return "%" .. pick(FLAGS) .. pick(WIDTHS) .. pick(PRECISIONS) .. pick(CONVERSIONS)
end

local function try_format()
  local format = "<" .. one_format() .. "|" .. (random(3) == 1 and one_format() or "") .. ">"
  emit(show(format) .. "  " .. try(string.format, format, pick(VALUES), pick(VALUES)))
  emit(show(format) .. "  " .. try(string.format, format, random(300) - 20, random(1000) / 8))
end

-- MARK: The rest of string

local function integer()
  return pick { random(12) - 6, random(12) - 6, random(12) - 6, 0, math.maxinteger, math.mininteger, 2.0, "3",
    1.5, "x" }
end

local STRINGS = { "len", "sub", "upper", "lower", "reverse", "byte", "rep", "char" }

local function try_string()
  local s, name = text(8), pick(STRINGS)
  local f = string[name]
  if name == "rep" then
    emit(name .. try(f, s, random(8) - 3, pick { "", ",", "ab" }) .. try(f, s, pick { "2", 1.5, 1 << 60 }, "x"))
  elseif name == "char" then
    emit(name .. try(f, random(300) - 20, random(256) - 1, integer()))
  else
    emit(name .. show(s) .. try(f, s) .. try(f, s, integer()) .. try(f, s, integer(), integer()))
  end
  emit(try(function() return pick(VALUES) .. pick(VALUES), pick(VALUES) < pick(VALUES) end))
end

-- MARK: pack and unpack

local OPTIONS = { "b", "B", "h", "H", "l", "L", "j", "J", "T", "i", "I", "i3", "I7", "i16", "I12", "i0", "i17",
  "f", "d", "n", "s", "s1", "s2", "z", "x", "Xi4", "Xd", "X", "Xc3", " ", "<", ">", "=", "!", "!4", "!2", "!16",
  "!3", "c5", "c0", "c", "q", "b", "i4", "c12", "z", "s4" }

local function try_pack()
  local parts = {}
  for i = 1, random(6) do parts[i] = pick(OPTIONS) end
  local format = table.concat(parts)
  local arguments = {}
  for i = 1, 7 do
    arguments[i] = pick { random(100) - 50, random(1 << 30), -1, 1.5, 3.0, "abc", "a\0b", "", 7, 7, 9, "12" }
  end
  local packed = { pcall(function() return pass(string.pack(format, table.unpack(arguments))) end) }
  emit(show(format) .. show(arguments) .. results(table.unpack(packed)) .. try(string.packsize, format))
  local data = packed[1] and packed[2] or text(20)
  if random(4) == 1 then data = data:sub(1, random(#data + 1) - 1) end
  emit(try(string.unpack, format, data) .. try(string.unpack, format, text(24), random(10) - 5))
  local noise = {}
  for i = 1, 40 do noise[i] = string.char(pick { 0, 1, 255, 128, random(256) - 1 }) end
  emit(try(string.unpack, format, table.concat(noise), random(3)))
end

-- MARK: table

local function list(most)
  local elements, kind = {}, random(4)
  for i = 1, random(most + 1) - 1 do
    if kind == 1 then elements[i] = random(10)
    elseif kind == 2 then elements[i] = simple_text(3)
    elseif kind == 3 then elements[i] = random(40) / 4
    else elements[i] = pick { random(9), "s", 2.5, true, "1" } end
  end
  return elements
end

local function outcome(t, f, ...)
  return try(f, t, ...) .. "  " .. show(t)
end

local function try_table()
  local t = list(12)
  emit("insert " .. show(t) .. outcome(t, table.insert, random(#t + 4) - 2, "new"))
  emit("append " .. outcome(t, table.insert, "end"))
  emit("remove " .. outcome(t, table.remove, random(#t + 4) - 2) .. outcome(t, table.remove))
  emit("misuse " .. outcome(t, table.insert) .. outcome(t, table.insert, 1, 2, 3) .. try(table.insert, 5, 5)
    .. outcome(t, table.remove, "x") .. try(table.concat, 5) .. try(table.sort, 5) .. try(table.move, t, 1, 2))
  emit("concat " .. outcome(t, table.concat, pick { "", ",", "--" }, pick { 1, 2, -1, nil }, pick { 3, 0, nil }))
  emit("concat " .. outcome(t, table.concat, ","))
  emit("unpack " .. outcome(t, table.unpack, random(8) - 4, random(12) - 4) .. outcome(t, table.unpack))
  emit("unpack " .. try(table.unpack, t, 1, 1e8) .. try(table.unpack, t, math.mininteger, math.maxinteger))
  emit("move " .. outcome(t, table.move, random(6) - 2, random(8), random(10) - 2))
  local target = {}
  emit("move " .. outcome(t, table.move, random(6) - 2, random(8), random(4), target) .. show(target))
  emit("move " .. try(table.move, t, 1, math.maxinteger, 2) .. try(table.move, t, -1, math.maxinteger, 2)
    .. try(table.move, t, math.mininteger, -1, 1))
  local packed = table.pack(table.unpack(t))
  emit("pack " .. show(packed) .. packed.n)
  -- A table whose sort raises is left as it was here, in some order there.
  local copy = table.move(t, 1, #t, 1, {})
  emit("sort " .. (pcall(table.sort, copy) and show(copy) or "cannot be compared"))
  local numbers = {}
  for i = 1, random(60) do numbers[i] = pick { random(1000), random(1000) + 0.5 } end
  emit("sort " .. outcome(numbers, table.sort) .. outcome(numbers, table.sort, function(a, b) return a > b end))
  local strings = {}
  for i = 1, random(40) do strings[i] = text(4) end
  emit("sort " .. outcome(strings, table.sort))
  emit("sort " .. try(table.sort, { 1, 2 }, 5) .. try(table.sort, { 1 }, 5) .. try(table.sort, { 1, "x" })
    .. try(table.sort, { {}, {} }) .. try(table.sort, { 1, 2, 3 }, function() error("order", 0) end))
end

-- MARK: Base

local function sorted(t, next_of)
  local seen = {}
  for key, value in next_of(t) do seen[#seen + 1] = show(key) .. "=" .. show(value) end
  table.sort(seen)
  return table.concat(seen, " ")
end

local NUMERALS = { "10", " 10 ", "0x1F", "1e2", "0x1p4", ".5", "5.", "1_0", "", " ", "-", "+", "-7", "+7", " +1f ", "+-7", "- 7", "inf", "nan",
  "0x", "1e", "z", "7fffffffffffffff", "ffffffffffffffffff", "9223372036854775808", "-9223372036854775808", "1\0",
  "\t12\n", "1 2", "0b1", "1e400", "0x.8", "08", "zz", "-ff" }

local function try_base()
  emit("tonumber " .. try(tonumber, pick(NUMERALS)) .. try(tonumber, pick(NUMERALS), pick { 2, 8, 10, 16, 36, 37, 1, "10", 1.5 })
    .. try(tonumber, pick(VALUES)) .. try(tonumber))
  local value = pick(VALUES)
  if value == value then emit("tostring " .. try(tostring, value) .. try(tostring, nil) .. try(tostring)) end
  emit("select " .. try(select, random(9) - 5, 1, nil, 3) .. try(select, "#", nil, nil) .. try(select, pick(VALUES), 1))
  emit("type " .. try(type, value) .. try(type) .. try(rawequal, value, value) .. try(rawequal, 1))
  emit("error " .. try(error, value) .. try(error, "m", random(3) - 1) .. try(error))
  emit("error " .. try(function() error("m", random(3) - 1) end) .. try(function() error({ 1, 2 }) end))
  emit("assert " .. try(assert, value, "m") .. try(assert, false, value) .. try(assert, nil) .. try(assert, 1, 2, 3) .. try(assert))
  emit("assert " .. try(function() assert(false, "m") end) .. try(function() assert(nil) end))
  emit("pcall " .. try(pcall, error, value) .. try(pcall, value) .. try(pcall))
  emit("xpcall " .. try(xpcall, error, function(m) return show(m), 2 end, value) .. try(xpcall, type) .. try(xpcall, 1, function(m) return m end))
  emit("xpcall " .. try(xpcall, function(...) return select("#", ...), ... end, type, 1, nil, value)
    .. try(xpcall, error, function(m) if m == "a" then error("b", 0) end return m end, "a"))
  local t = {}
  for _ = 1, random(8) do
    t[pick { random(5), simple_text(2), random(9) / 2, true, false }] = pick { 1, 2, "v" }
  end
  emit("pairs " .. sorted(t, pairs) .. sorted(t, function(x) return next, x end))
  local out = {}
  for i, v in ipairs { 1, 2, nil, 4 } do out[#out + 1] = i .. show(v) end
  emit("ipairs " .. show(out) .. try(ipairs) .. try(next, {}) .. try(next, 1) .. try(setmetatable, 1) .. try(setmetatable, {}, 1))
  local class = { __index = { x = 1 }, __len = function() return 9 end, __tostring = function() return "object" end,
    __metatable = random(2) == 1 and "locked" or nil, __name = "Name",
    __pairs = function(object) return function(_, k) if not k then return 1, object.x end end, object, nil end }
  local object = setmetatable({}, class)
  emit("meta " .. try(tostring, object) .. show(getmetatable(object) == class) .. #object .. object.x .. sorted(object, pairs)
    .. try(setmetatable, object, nil) .. try(tostring, setmetatable({}, { __tostring = function() return 1 end }))
    .. try(tostring, setmetatable({}, { __tostring = function() return {} end })))
  local proxy = setmetatable({}, { __index = function(_, i) return i <= 4 and i * 10 or nil end })
  emit("through " .. try(table.unpack, proxy, 1, 4) .. try(table.concat, proxy, ",", 1, 4))
  local written = {}
  local sink = setmetatable({}, { __newindex = function(_, k, v) written[#written + 1] = { k, v } end })
  emit("into " .. try(table.insert, sink, "x") .. try(table.move, { 1, 2 }, 1, 2, 3, sink) .. show(written))
end

-- MARK: Coroutines

local function try_coroutine()
  local log = {}
  local function note(...) log[#log + 1] = show { ... } end
  local failing = random(3)
  local co = coroutine.create(function(a, b)
    note(a, b, coroutine.isyieldable())
    note(coroutine.yield(a, b))
    note(pcall(function() note(coroutine.yield("in pcall")); error("caught", 0) end))
    note(xpcall(function() coroutine.yield("in xpcall"); error("handled", 0) end, function(m) return m .. "!" end))
    if failing == 1 then error("dead", 0) end
    if failing == 2 then error({ "dead" }) end
    return 1, nil, 3
  end)
  for i = 1, 7 do
    note(coroutine.status(co))
    note(coroutine.resume(co, i, pick { "x", true }))
  end
  note(coroutine.status(co))
  local generate = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
  note(pcall(generate), pcall(generate), pcall(generate))
  note(pcall(generate))
  note(pcall(generate))
  note(pcall(generate))
  note(pcall(coroutine.wrap(function() error("wrapped", 0) end)))
  local wrapped = coroutine.wrap(function() error("wrapped") end)
  note(pcall(function() wrapped() end))
  local inner
  inner = coroutine.wrap(function() return pcall(inner) end)
  note(inner())
  note(coroutine.wrap(function() return pcall(table.sort, { 1, 2, 3 }, function() coroutine.yield() end) end)())
  note(coroutine.wrap(function() return pcall(string.gsub, "x", "x", function() coroutine.yield() end) end)())
  local closed = {}
  local dying = coroutine.wrap(function()
    local resource <close> = setmetatable({}, { __close = function(_, e) closed[#closed + 1] = tostring(e) end })
    error("with resource", 0)
  end)
  note(pcall(dying))
  note(closed)
  note(try(coroutine.create, 1))
  note(try(coroutine.resume, 1))
  note(try(coroutine.status))
  note(try(coroutine.wrap))
  note(select(2, coroutine.running()))
  emit("coroutine " .. table.concat(log, " "))
end

-- MARK: utf8 and math

local function bytes(most)
  local parts = {}
  for i = 1, random(most + 1) - 1 do
    parts[i] = pick { "a", "é", "€", "𝄞", "\u{7FFFFFFF}", "\xED\xA0\x80", "\x80", "\xC0\x80", "\xFF", "\0",
      "\xF4\x90\x80\x80", "\xE2\x82", "z" }
  end
  return table.concat(parts)
end

local function all_codes(s, lax)
  local found = {}
  if not is_like_ours and not utf8.len(s, 1, -1, lax) then return found end
  for place, code in utf8.codes(s, lax) do found[#found + 1] = { place, code } end
  return found
end

local function try_utf8()
  local s, lax = bytes(6), random(2) == 1
  local i, j = random(16) - 8, random(16) - 8
  emit(show(s) .. try(utf8.len, s) .. try(utf8.len, s, i, j, lax) .. try(all_codes, s, lax)
    .. try(utf8.codepoint, s, i, j, lax) .. try(utf8.codepoint, s) .. try(utf8.codepoint, s, 1, -1, lax))
  emit(try(utf8.offset, s, i) .. try(utf8.offset, s, i, j) .. try(utf8.offset, s, 0, j)
    .. try(utf8.char, random(2000), random(1 << 31) - 1, pick { 0, 127, 128, 2047, 2048, 65535, 65536, 0x1FFFFF,
      0x200000, 0x3FFFFFF, 0x4000000, 0x7FFFFFFF, 0x80000000, -1 }))
  emit(try(math.floor, pick(VALUES)) .. try(math.tointeger, pick(VALUES)) .. try(math.type, pick(VALUES))
    .. try(math.max, pick(VALUES), pick(VALUES)) .. try(math.fmod, pick(VALUES), pick(VALUES)) .. try(math.abs, pick(VALUES)))
end

local MATH = { "abs", "ceil", "floor", "fmod", "max", "min", "modf", "sqrt", "tointeger", "type", "ult", "exp", "log",
  "sin", "cos", "tan", "asin", "acos", "atan", "deg", "rad" }

local function number()
  return pick { random(100) - 50, (random(1000) - 500) / 8, pick(VALUES), pick(VALUES) }
end

local function try_math()
  local name = pick(MATH)
  local f = math[name]
  emit(name .. try(f) .. try(f, number()) .. try(f, number(), number()) .. try(f, number(), number(), number()))
  emit(show(math.pi) .. show(math.huge) .. show(math.maxinteger) .. show(math.mininteger))
  local a, b = number(), number()
  emit("compare " .. show(a) .. show(b) .. try(function() return a == b, rawequal(a, b) end)
    .. try(function() return a < b, a <= b end) .. try(function() return a .. b, #a end)
    .. try(function() return a & b, a ~ b, ~a end) .. try(function() return a << b, a >> b end))
end

-- MARK: String arithmetic

local function try_arithmetic()
  local a, b = pick(VALUES), pick(VALUES)
  emit("arithmetic " .. show(a) .. show(b) .. try(function() return a + b end) .. try(function() return a * b end)
    .. try(function() return a // b end) .. try(function() return a % b end) .. try(function() return a / b end)
    .. try(function() return -a end) .. try(function() return a ^ 2, a - 1 end) .. try(function() return a | b end)
    .. try(function() return "10" + 1, "0x10" * "2", -"3", "7" // 2 end))
end

emit(show(utf8.charpattern))
for i = 1, cases do
  try_patterns()
  if i % 2 == 0 and RELEASE >= 50404 then try_format() end
  if i % 4 == 0 then try_string() end
  if i % 8 == 0 then try_pack() end
  if i % 16 == 0 then try_utf8() end
  if i % 16 == 0 then try_math() end
  if i % 20 == 0 then try_arithmetic() end
  if i % 20 == 0 then try_table() end
  if i % 20 == 0 then try_base() end
  if i % 50 == 0 then try_coroutine() end
end
