-- The count has no end: it is gone through up to four.
flow "counter.lua"

explore("up to four", {
  actions = { increase = { by = { 1, 3 } }, decrease = { by = { 1, 3 } } },
  within  = function(s) return s.counter <= 4 end,
}, function()
  step("each action changes one of the two", function(before, after, action)
    if action.name == "increase" or action.name == "decrease" then
      return after.navigation.screen == before.navigation.screen
    end
    return after.counter == before.counter
  end)
  step("the count goes up and down by what was said", function(before, after, action)
    local by = action.payload and action.payload.by or 0
    return action.name ~= "increase" or after.counter == before.counter + by
  end)
end)
