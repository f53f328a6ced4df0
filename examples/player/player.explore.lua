flow "player.lua"

-- The machine says in these fields where it stands, region by region.
local function is_on(s) return s.player == "on" end

explore("all that can be pressed", function()
  step("power comes off and on again where it was", function(before, after, action)
    return action.name ~= "power" or is_on(before) ~= is_on(after)
  end)
  step("pausing keeps the sound", function(before, after, action)
    return action.name ~= "pause" or after.sound == before.sound
  end)
  step("mute changes only the sound", function(before, after, action)
    return action.name ~= "mute" or after.transport == before.transport and after.sound ~= before.sound
  end)
  sometimes("paused and muted", function(s) return s.transport == "paused" and s.sound == "muted" end)
end)
