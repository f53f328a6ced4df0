-- Every evening of up to six coins.
flow "turnstile.lua"

explore("coins of two kinds", {
  actions = { coin = { amount = { 1, 2 } } },
  within  = function(s) return s.coins <= 6 end,   -- the takings have no end
}, function()
  step("nobody goes through a locked one", function(before, _, action)
    return action.name ~= "push" or not before.locked
  end)
  step("a push locks it, and costs nothing", function(before, after, action)
    return action.name ~= "push" or after.locked and after.coins == before.coins
  end)
  step("what was taken stays", function(before, after) return after.coins >= before.coins end)
  sometimes("a coin too many", function(s) return not s.locked and s.coins == 6 end)
end)
