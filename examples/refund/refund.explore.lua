flow "refund.lua"

explore("every refund of 40 and 60", {}, function()
  step("a clerk gives back 50 at most", function(before, after, action)
    return after.returned - before.returned <= 50 or action.payload.by == "manager"
  end)
  sometimes("all of it is given back", function(s) return s.returned == s.paid end)
end)
