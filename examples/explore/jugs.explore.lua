-- A riddle is solved by saying that it cannot be: what breaks that is the shortest solution, of 6 steps. There are
-- 16 states, 97 transitions, 8 levels.
flow "jugs.lua"

explore("the jugs", function()
  never("four", function(s) return s.big == 4 end)
end)
