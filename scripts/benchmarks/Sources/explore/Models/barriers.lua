-- A reusable barrier of six processes with a lock and two gates, after Barriers of the TLA+ examples.
local N = 6
local P = integer { min = 1, max = N }

state { pc = { 0, 0, 0, 0, 0, 0 }, lock = 1, gate_1 = 0, gate_2 = 0, rdv = 0 }

local function step(k, check, change, to)
  local name = "a" .. k
  action[name] { p = P }
  gate[name] = function(s, a) return s.pc[a.p] == k and (not check or check(s)) end
  reduce[name] = function(s, a)
    local next = to and to(s) or (k + 1) % 13
    if change then change(s) end
    s.pc[a.p] = next
  end
end

local function is_free(s) return s.lock == 1 end
local function acquire(s) s.lock = 0 end
local function release(s) s.lock = 1 end

step(0)
step(1, is_free, acquire)
step(2, nil, function(s) s.rdv = s.rdv + 1 end)
step(3, nil, nil, function(s) return s.rdv == N and 4 or 5 end)
step(4, nil, function(s) s.gate_1 = s.gate_1 + N end)
step(5, nil, release)
step(6, function(s) return s.gate_1 > 0 end, function(s) s.gate_1 = s.gate_1 - 1 end)
step(7, is_free, acquire)
step(8, nil, function(s) s.rdv = s.rdv - 1 end)
step(9, nil, nil, function(s) return s.rdv == 0 and 10 or 11 end)
step(10, nil, function(s) s.gate_2 = s.gate_2 + N end)
step(11, nil, release)
step(12, function(s) return s.gate_2 > 0 end, function(s) s.gate_2 = s.gate_2 - 1 end)

local INSIDE = { [2] = true, [3] = true, [4] = true, [5] = true, [8] = true, [9] = true, [10] = true, [11] = true }

function invariant.lock(s)
  local inside = 0
  for p = 1, N do
    if INSIDE[s.pc[p]] then inside = inside + 1 end
  end
  return inside <= 1 and (inside == 0 or s.lock == 0)
end

function invariant.rendezvous(s)
  local n = 0
  for p = 1, N do
    local k = s.pc[p]
    if k >= 3 and k <= 8 then n = n + 1 end
  end
  return s.rdv == n and (s.gate_1 == 0 or s.gate_2 == 0)
end

function invariant.barrier(s)
  local first, second = false, false
  for p = 1, N do
    local k = s.pc[p]
    if k <= 4 then first = true elseif k >= 7 and k <= 10 then second = true end
  end
  return not (first and second)
end
