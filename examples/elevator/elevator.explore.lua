flow "elevator.lua"

local function is_called(s, floor)
  for _, call in ipairs(s.calls) do
    if call == floor then return true end
  end
  return false
end

-- Without calls: rides, and what people do at the door.
local riders = { call = false }
local waiting = { { calls = { 3 } }, { calls = { 5, 2 } }, { floor = 4, calls = { 6, 1, 3 } } }

explore("rides, with people at the door", { actions = riders, given = waiting }, function()
  step("a call is forgotten nowhere but at its floor", function(before, after)
    for _, call in ipairs(before.calls) do
      if not is_called(after, call) and (after.cabin ~= "still" or after.floor ~= call) then
        return false
      end
    end
    return true
  end)
  step("it goes by no floor that it was called to", function(before, after)
    return after.floor == before.floor or not is_called(before, after.floor) or after.cabin == "still"
  end)
  step("it stops with the door about to open", function(before, after)
    return before.cabin == "still" or after.cabin ~= "still" or after.door == "opening"
  end)
end)

explore("rides, with nobody at the door", {
  actions = { call = false, open = false, obstruct = false }, given = waiting,
  ends = function(s) return #s.calls == 0 end,
}, function()
  eventually("everybody is served", function(s) return #s.calls == 0 end,
    { fair = { "depart", "time passes" } })
end)
