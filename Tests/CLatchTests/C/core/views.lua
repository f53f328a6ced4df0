-- A state with nested tables, a reducer that changes it at random, and views that read it in many ways: for
-- views_test.c, which compares their stored values with fresh ones. SEED comes before this text.

local function list(t) return host.set_mark(t, "list") end
local function map(t) return host.set_mark(t, "map") end

local seed = SEED
local function random(n)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed // 65536 % n + 1
end

local function row()
  return {
    a = random(5), sub = { x = random(5), deep = { y = random(5) } }, tags = list { random(3), random(3) },
    flat = { z = random(4) }, parts = list { { k = random(5) }, { k = random(5), o = { p = random(3) } } },
  }
end

host.declare_state {
  at = 1, rows = list { row(), row(), row() }, other = list { row() }, by = map { one = row(), two = row() },
  misc = { p = { q = { r = 1 }, w = 2 } }, flats = map { a = { v = 1 }, b = { v = 2 } }, kindless = map {},
}

local function pick(l) return l[random(#l + 1)] end
local function key() return random(2) == 1 and "one" or "two" end
local function any(s)
  local from = random(3)
  return from == 1 and pick(s.rows) or from == 2 and pick(s.other) or s.by[key()]
end

local changes = {
  function(s) any(s).a = random(5) end,
  function(s) any(s).sub.x = random(5) end,
  function(s) any(s).sub.deep.y = random(5) end,
  function(s) any(s).flat.z = random(5) end,
  function(s) table.insert(any(s).tags, random(9)) end,
  function(s) table.remove(any(s).tags, 1) end,
  function(s) local part = pick(any(s).parts) if part then part.k = random(5) end end,
  function(s) local part = pick(any(s).parts) if part and part.o then part.o.p = random(5) end end,
  function(s) table.insert(any(s).parts, 1, { k = random(5), o = random(2) == 1 and { p = 1 } or nil }) end,
  function(s) table.remove(any(s).parts, 1) end,
  function(s) local l = random(2) == 1 and s.rows or s.other if #l < 12 then table.insert(l, random(#l + 1), row()) end end,
  function(s) local l = random(2) == 1 and s.rows or s.other if #l > 0 then table.remove(l, random(#l)) end end,
  function(s) if #s.rows > 0 and #s.other < 12 then table.insert(s.other, 1, table.remove(s.rows, random(#s.rows))) end end,
  function(s)
    if #s.other == 0 or #s.rows > 11 then return end
    local moved = table.remove(s.other)
    moved.sub.x = random(5)
    s.rows[#s.rows + 1] = moved
    moved.sub.deep.y = random(5)
  end,
  function(s) s.by[key()] = any(s) end,
  function(s) local one, two = any(s), any(s) one.sub = two.sub one.sub.x = random(5) two.sub.deep.y = random(5) end,
  function(s) local one, two = any(s), any(s) if one ~= two then one.sub, two.sub = two.sub, one.sub end end,
  function(s) s.misc.p.q = { r = random(9) } end,
  function(s) s.misc.p.q.r = random(9) end,
  function(s) s.misc.p.w = random(9) end,
  function(s) s.flats[random(2) == 1 and "a" or "c"] = { v = random(5) } end,
  function(s) for _, flat in pairs(s.flats) do flat.v = random(5) end end,
  function(s) s.flats.c = nil end,
  function(s) s.flats.a = { v = 1, nested = { u = random(3) } } end,
  function(s) s.flats.b.nested = { u = random(3) } end,
  function(s) s.flats.a.nested.u = random(9) end,
  function(s) s.at = random(3) end,
  function(s)
    for k in pairs(s.kindless) do s.kindless[k] = nil end
    s.kindless[random(2) == 1 and "k" or 1] = { n = random(4), inner = { m = random(3) } }
  end,
  function(s) local _, e = next(s.kindless) if e then e.inner.m = random(5) end end,
  function(s) table.sort(s.rows, function(one, two) return one.sub.x < two.sub.x end) end,
  function(s) s.rows = table.filter(s.rows, function(r) return r.a > 1 end) end,
}
function host.change(s)
  for _ = 1, random(3) do pcall(changes[random(#changes)], s) end
  if random(8) == 1 then error("back") end
end

local function written(v)
  if type(v) ~= "table" then return tostring(v) end
  local parts = {}
  for k, x in pairs(v) do parts[#parts + 1] = tostring(k) .. "=" .. written(x) end
  return "{" .. table.concat(parts, ",") .. "}"
end

local views = {
  function(s) local n = 0 for _, r in ipairs(s.rows) do n = n + r.a * r.sub.x end return n end,
  function(s) local n = 0 for _, r in ipairs(s.rows) do n = n + r.sub.deep.y end return n end,
  function(s) return written(s) end,
  function(s) return written(s.by) end,
  function(s) local t = "" for i = 1, #s.rows do t = t .. s.rows[i].sub.x .. #s.rows[i].tags end return t end,
  function(s) return s.misc.p.q.r end,
  function(s) local r = s.rows[s.at] return r and r.sub.deep.y end,
  function(s) local r = s.rows[s.at] return r and written(r.parts) end,
  function(s) local n = 0 for _, flat in pairs(s.flats) do n = n + flat.v end return n end,
  function(s) return s.flats.a and s.flats.a.nested and s.flats.a.nested.u end,
  function(s) return s.flats.b.nested and s.flats.b.nested.u or s.flats.b.v end,
  function(s) return #s.kindless end,
  function(s) return #s.kindless .. written(s.kindless) end,
  function(s)
    local chosen, seen, found = s.rows[s.at], {}, 0
    seen[chosen or 1] = true
    for i, r in ipairs(s.rows) do found = found + (seen[r] and i or 0) + (r == chosen and 100 or 0) end
    return found
  end,
  function(s) return s.rows end,
  function(s) return { s.misc, s.other[1] } end,
  function(s) return table.sum(s.rows, function(r) return r.sub.x + (r.parts[1] and r.parts[1].k or 0) end) end,
  function(s) return table.filter(s.other, function(r) return r.a > 2 end) end,
  function(s) local t = {} for k, v in pairs(s.misc) do t[k] = v.w end return t end,
  function(s) local r = table.find(s.rows, function(r) return r.sub.x == 3 end) return r and r.flat.z end,
  function(s) return table.copy(s.by) end,
  function(s) local _, v = next(s.by) return v and v.sub.deep.y end,
  function(s)
    local n = 0
    for i = 1, 40 do
      local r = s.rows[(i - 1) % 3 + 1]
      for j = 1, r and #r.parts or 0 do n = n + r.parts[j].k + (r.parts[j].o and r.parts[j].o.p or 0) end
    end
    return n
  end,
  function(s)
    local n = 0
    for _, l in pairs { s.rows, s.other } do for _, r in ipairs(l) do for _, part in ipairs(r.parts) do n = n + part.k end end end
    return n
  end,
  function(s) local t = "" for _, r in ipairs(s.rows) do t = t .. table.concat(r.tags, ",") end return t end,
  function(s) local r = table.unpack(s.rows) return r and r.sub.x end,
  function(s) return rawlen(s.rows) + #s.other end,
  function(s) return rawget(s.misc, "p").w end,
}
for i, view in ipairs(views) do host["view" .. i] = view end
