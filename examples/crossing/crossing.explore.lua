flow "crossing.lua"

explore("every push of both buttons", function()
  always("the walkers walk only while the cars stand", function(s)
    return s.walkers ~= "walk" or s.cars == "red"
  end)
  step("cars stop by way of yellow", function(before, after)
    return after.cars ~= "red" or before.cars == "red" or before.cars == "yellow"
  end)
  leads_to("who pushes the button crosses, unless the crossing is switched off",
    function(s) return s.crossing == "on" and s.walkers == "waiting" end,
    function(s) return s.crossing == "off" or s.walkers == "walk" end, { fair = { "time passes" } })
end)
