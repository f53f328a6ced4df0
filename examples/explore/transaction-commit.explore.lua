-- TLC goes through the same 34 states, by 94 transitions, in 7 levels.
flow "transaction-commit.lua"

explore("three managers", {
  -- Nothing leads on when all have decided: that is where it should end, and no deadlock.
  ends = function(s)
    for r = 1, #s.rm do
      if s.rm[r] == "working" or s.rm[r] == "prepared" then return false end
    end
    return true
  end,
}, function()
  never("torn", function(s)
    local aborted, committed = false, false
    for r = 1, #s.rm do
      aborted = aborted or s.rm[r] == "aborted"
      committed = committed or s.rm[r] == "committed"
    end
    return aborted and committed
  end)
  step("a decision stands", function(before, after)
    for r = 1, #before.rm do
      if before.rm[r] == "committed" and after.rm[r] ~= "committed" then return false end
    end
    return true
  end)
end)
