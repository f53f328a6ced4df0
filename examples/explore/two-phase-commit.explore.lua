-- TLC goes through the same 288 states, by 1,146 transitions, in 11 levels. But for which manager is which there are 80.
flow "two-phase-commit.lua"

local function any(s, what)
  for r = 1, #s.rm do
    if s.rm[r] == what then return true end
  end
  return false
end

local function all(s, what)
  for r = 1, #s.rm do
    if s.rm[r] ~= what then return false end
  end
  return true
end

local function holds()
  always("consistent", function(s)
    return not (any(s, "aborted") and any(s, "committed")), "one has aborted, and one has committed"
  end)
  sometimes("all commit", function(s) return all(s, "committed") end)
  sometimes("all abort", function(s) return all(s, "aborted") end)
  step("decisions stand", function(before, after)
    for r = 1, #before.rm do
      local was = before.rm[r]
      if (was == "committed" or was == "aborted") and after.rm[r] ~= was then return false end
    end
    return true
  end)
end

explore("three managers", holds)
explore("three managers, no matter which", { alike = { r = { 1, 2, 3 } } }, holds)
