-- A room with two players, who come and go.
flow "lobby.lua"

local ids = { "ann", "ben" }
local one = { id = ids }

explore("two players", {
  actions = { join = one, leave = one, ready = one, unready = one, hit = one },
}, function()
  always("who plays is in a game", function(s)
    for _, player in pairs(s.players) do
      if player.stage == "playing" and s.lobby ~= "running" then return false end
    end
    return true
  end)
  step("a game begins with somebody, and all of them ready", function(before, after, action)
    if action.name ~= "start" then return true end
    for _, player in pairs(before.players) do
      if player.stage ~= "ready" then return false end
    end
    return next(before.players) ~= nil
  end)
  step("a game begins with all lives", function(_, after, action)
    if action.name ~= "start" then return true end
    for _, player in pairs(after.players) do
      if player.lives < 2 then return false end
    end
    return true
  end)
  step("nobody comes in during a game", function(before, after, action)
    return action.name ~= "join" or before.lobby == "open"
  end)
  sometimes("both are out", function(s)
    local ann, ben = s.players.ann, s.players.ben
    return ann and ben and ann.stage == "out" and ben.stage == "out"
  end)
end)
