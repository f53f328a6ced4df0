-- What the sandboxed library does beyond Lua's own, on every kind of table. Runs as a reducer:
-- `s` is the state, `fixed` a read-only table, `freeze(t)` makes one, `check` counts.

local function fails(text, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "this should have failed: " .. text)
  assert(tostring(message):find(text, 1, true), tostring(message))
end

local function keys(t)
  local found = {}
  for key in pairs(t) do found[#found + 1] = tostring(key) end
  return table.concat(found, " ")
end

local function join(list) return table.concat(list, ",") end

-- MARK: One order

check("pairs visits integers, floats, strings and booleans, each in ascending order", function()
  local t = { [true] = 1, [false] = 1, b = 1, a = 1, ["a\0"] = 1, [""] = 1, [2.5] = 1, [-0.5] = 1, [10] = 1, [-3] = 1, [1] = 1 }
  assert(keys(t) == "-3 1 10 -0.5 2.5  a a\0 b false true", keys(t))
end)

check("pairs of many keys is sorted too", function()
  local t, expected = {}, {}
  for i = 1, 3000 do t[("%05d"):format(i * 7919 % 3001)] = i end
  local last = ""
  for key in pairs(t) do assert(key > last) last = key end
  assert(last == "03000")
end)

check("pairs of long keys with a common start", function()
  local p, t = ("x"):rep(100), {}
  for i = 40, 10, -1 do t[p .. i] = i end
  local last = 9
  for _, value in pairs(t) do assert(value == last + 1) last = value end
end)

check("pairs sees the keys that were there at its start", function()
  local t = { a = 1, b = 2, c = 3 }
  local seen = {}
  for key in pairs(t) do seen[#seen + 1] = key t[key .. key] = 1 t.c = nil end
  assert(join(seen) == "a,b")
  local list, count = { 1, 2, 3 }, 0
  for i in pairs(list) do count = count + 1 list[#list + 1] = i end
  assert(count == 3)
  for i in pairs(list) do list[i] = nil end
  assert(next(list) == nil)
end)

check("pairs of a sequence counts, of one with holes sorts", function()
  local t = { 1, 2, 3, 4 }
  t[2] = nil
  assert(keys(t) == "1 3 4")
  assert(keys({}) == "")
  local backwards = {}
  for i = 50, 1, -1 do backwards[i] = i end
  local n = 0
  for i in pairs(backwards) do n = n + 1 assert(i == n) end
  assert(n == 50)
end)

check("a key without a place in the order is an error", function()
  fails("has a key of type table", pairs, { [{}] = 1 })
  fails("has a key of type function", next, { [type] = 1 })
  fails("has a key of type thread", pairs, { [coroutine.create(type)] = 1 })
  fails("table expected, got nil", pairs, nil)
end)

check("next gives the smallest key above", function()
  local t = { 10, 20, x = 1, y = 2, [0.5] = 3, [true] = 4 }
  local found, key, value = {}, nil, nil
  repeat
    key, value = next(t, key)
    if key ~= nil then found[#found + 1] = tostring(key) .. "=" .. value end
  until key == nil
  assert(join(found) == "1=10,2=20,0.5=3,x=1,y=2,true=4", join(found))
  assert(next({}) == nil and select("#", next({})) == 1)
  assert(next({ 5 }, 1.0) == nil and next(t, "xx") == "y")
  fails("invalid key to 'next'", next, t, {})
  fails("invalid key to 'next'", next, t, 0 / 0)
end)

check("a generic for may use next", function()
  local t, sum = { 1, 2, 3, a = 4 }, 0
  for _, value in next, t do sum = sum + value end
  assert(sum == 10)
end)

-- MARK: State nodes

check("a node is read like a table", function()
  assert(join(s.list) == "3,1,2" and #s.list == 3)
  assert(select("#", table.unpack(s.list)) == 3 and table.unpack(s.list, 2, 2) == 1)
  assert(keys(s) == "empty list map names record rows")
  assert(keys(s.list) == "1 2 3" and keys(s.record) == "x y" and keys(s.map) == "k q")
  local ids = {}
  for i, row in ipairs(s.rows) do ids[i] = row.id end
  for _, row in pairs(s.rows) do ids[#ids + 1] = row.id end
  assert(join(ids) == "1,2,1,2")
  assert(next(s.empty) == nil and next(s.record) == "x" and select(2, next(s.rows)).id == 1)
  assert(type(s.rows) == "table" and tostring(s.rows) == "table" and ("%s"):format(s) == "table")
  assert(table.concat(table.pack(table.unpack(s.list)), "") == "312")
  assert(join(table.move(s.list, 1, 3, 2, { 0 })) == "0,3,1,2")
  assert(("x y"):gsub("%a", s.record) == "1 2")
  assert(rawequal(s.rows[1], s.rows[1]))
end)

check("a node is written like a table", function()
  table.insert(s.list, 9)
  table.insert(s.list, 1, 8)
  assert(join(s.list) == "8,3,1,2,9")
  assert(table.remove(s.list) == 9 and table.remove(s.list, 1) == 8)
  assert(join(s.list) == "3,1,2")
  table.insert(s.empty, "first")
  assert(join(s.empty) == "first" and table.remove(s.empty) == "first" and table.remove(s.empty) == nil)
  fails("position out of bounds", table.insert, s.list, 7, 1)
  fails("position out of bounds", table.remove, s.list, 7)
  assert(table.remove(s.list, 4) == nil and #s.list == 3)
  fails("wrong number of arguments", table.insert, s.list)
end)

check("a node is sorted in one go", function()
  table.sort(s.list)
  assert(join(s.list) == "1,2,3")
  table.sort(s.list, function(a, b) return a > b end)
  assert(join(s.list) == "3,2,1")
  table.sort(s.names)
  assert(join(s.names) == "a,b,c")
  local one = s.rows[1]
  table.sort(s.rows, function(a, b) return a.id > b.id end)
  assert(s.rows[1].id == 2 and s.rows[2].id == 1 and rawequal(s.rows[2], one))
  fails("stop", table.sort, s.list, function() error("stop") end)
  assert(join(s.list) == "3,2,1")
end)

check("a node takes a moved list", function()
  table.move({ 7, 8 }, 1, 2, 4, s.list)
  assert(join(s.list) == "3,2,1,7,8")
  table.move(s.list, 4, 5, 1)
  assert(join(s.list) == "7,8,1,7,8")
end)

check("a node's metatable is out of reach", function()
  assert(getmetatable(s) == false and getmetatable(s.list) == false)
  fails("protected metatable", setmetatable, s, nil)
  fails("part of the state", setmetatable, {}, s.record)
end)

-- MARK: Read-only tables

check("a read-only table is read but not written", function()
  assert(join(fixed.list) == "1,2,3" and keys(fixed) == "a list" and next(fixed) == "a")
  assert(table.unpack(fixed.list) == 1 and #fixed.list == 3)
  for _, name in ipairs { "insert", "remove", "sort" } do
    fails("read-only", table[name], fixed.list, 1)
  end
  fails("read-only", table.move, { 1 }, 1, 1, 1, fixed.list)
  fails("read-only", function() fixed.a = 2 end)
  fails("protected metatable", setmetatable, fixed, {})
  assert(getmetatable(fixed) == false)
end)

check("a metatable that has a say in elements is asked for each that moves", function()
  local silent = setmetatable({ 1, 2, 3 }, { __len = function() return 0 end })
  table.insert(silent, 1, 0)
  assert(table.remove(silent, 2) == 1 and join(silent) == "0,2,3")
  local written, read, kept = {}, {}, {}
  local behind = setmetatable({ 1, 2 }, {
    __newindex = function(_, i, v)
      written[#written + 1] = i
      kept[i] = v
    end,
  })
  table.insert(behind, 1, 0)
  assert(join(written) == "3" and join(behind) == "0,1" and kept[3] == 2)
  local worked_out = setmetatable({}, {
    __index = function(_, i)
      read[#read + 1] = i
      return 10 * i
    end,
  })
  assert(join(table.move(worked_out, 1, 3, 2, { 0 })) == "0,10,20,30" and join(read) == "1,2,3")
  table.move({ 7, 8 }, 1, 2, 4, behind)
  assert(join(written) == "3,4,5" and kept[4] == 7 and kept[5] == 8 and join(behind) == "0,1")
end)

check("a read-only class still makes objects", function()
  local class = { __tostring = function(o) return "object " .. o.name end, __len = function() return 7 end }
  class.__index = class
  function class:shout() return self.name:upper() end
  class = freeze(class)
  local object = setmetatable({ name = "a" }, { __index = class })
  assert(object:shout() == "A")
  local other = setmetatable({ name = "b" }, class)
  assert(rawequal(getmetatable(other), class) and #other == 7 and tostring(other) == "object b")
  assert(rawequal(getmetatable(setmetatable({}, class)), class))
end)

-- MARK: Sorting

check("sort is stable", function()
  local t = {}
  for i = 1, 500 do t[i] = { i % 7, i } end
  table.sort(t, function(a, b) return a[1] < b[1] end)
  for i = 2, 500 do
    assert(t[i - 1][1] < t[i][1] or t[i - 1][1] == t[i][1] and t[i - 1][2] < t[i][2])
  end
end)

check("sort compares as < does", function()
  local log = {}
  local number = { __lt = function(a, b) log[1] = true return a.n < b.n end }
  local t = { setmetatable({ n = 2 }, number), setmetatable({ n = 1 }, number) }
  table.sort(t)
  assert(t[1].n == 1 and log[1])
  local mixed = { 3, 2.5, 1, math.huge, -math.huge, 2 ^ 53, math.maxinteger }
  table.sort(mixed)
  assert(join(mixed) == "-inf,1,2.5,3,9.007199254741e+15,9223372036854775807,inf", join(mixed))
  local bytes = { "b", "B", "a\0b", "a", "\xff", "" }
  table.sort(bytes)
  assert(join(bytes) == ",B,a,a\0b,b,\xff")
  table.sort({ 0 / 0, 1, 0 / 0, 2 })
  fails("attempt to compare", table.sort, { 1, "x" })
  fails("attempt to compare", table.sort, { {}, {} })
  local list = { 3, 2, 1 }
  fails("stop", table.sort, list, function() error("stop") end)
  assert(join(list) == "3,2,1")
end)

-- MARK: Text

check("no address shows", function()
  assert(tostring({}) == "table" and tostring(type) == "function")
  assert(tostring(coroutine.create(type)) == "thread" and ("%s"):format(function() end) == "function")
  assert(tostring(setmetatable({}, { __name = "thing" })) == "thing")
  assert(tostring(setmetatable({}, { __name = 5 })) == "table")
  fails("no addresses", string.format, "%p", {})
  assert(tostring(0 / 0) == "nan" and tostring(-(0 / 0)) == "nan" and ("%f"):format(0 / 0) == "nan")
end)

check("strings are numbers in arithmetic", function()
  assert("10" + 1 == 11 and "0x10" * "2" == 32 and -"2" == -2 and 10 .. "" == "10")
end)

-- MARK: Coroutines

check("a dying coroutine closes what it has and keeps its error", function()
  local log = {}
  local function closing(name)
    return setmetatable({}, { __close = function(_, e)
      log[#log + 1] = name .. ":" .. tostring(e)
      if name == "bad" then error("second", 0) end
    end })
  end
  local co = coroutine.create(function()
    local a <close> = closing("a")
    local b <close> = closing("bad")
    coroutine.yield()
    error("first", 0)
  end)
  assert(coroutine.resume(co))
  local ok, e = coroutine.resume(co)
  assert(not ok and e == "first" and coroutine.status(co) == "dead", e)
  -- Before Lua 5.4.3 a coroutine that has died closes without being told why.
  assert(join(log) == "bad:first,a:second" or join(log) == "bad:nil,a:second", join(log))
end)

check("nothing that is the host's is resumed or yielded", function()
  local main, is_main = coroutine.running()
  assert(is_main and not coroutine.isyieldable() and coroutine.status(main) == "running")
  fails("outside a coroutine", coroutine.yield)
  local ok, e = coroutine.resume(main)
  assert(not ok and e == "cannot resume non-suspended coroutine")
  assert(coroutine.wrap(function() return coroutine.status(main) end)() == "normal")
  assert(coroutine.close == nil)
end)

check("metatables that reach the collector are refused", function()
  fails("__gc", setmetatable, {}, { __gc = type })
  fails("__gc", setmetatable, {}, { __gc = false })
  assert(getmetatable(setmetatable({}, { __mode = "v" })).__mode == "v")
  fails("protected metatable", setmetatable, setmetatable({}, { __metatable = 1 }), nil)
  assert(getmetatable(setmetatable({}, { __metatable = 1 })) == 1)
  assert(getmetatable("") == false and getmetatable(1) == nil and getmetatable({}) == nil)
end)
