-- 243 states and 946 transitions, and two deadlocks after 5 steps: all have taken the left fork, or all the right one.
flow "philosophers.lua"

local function eats(s, i)
  return s.holds[i] == "both"
end

explore("five philosophers", function()
  never("neighbours eat", function(s)
    for i = 1, 5 do
      if eats(s, i) and eats(s, i % 5 + 1) then return true end
    end
    return false
  end)
  sometimes("two eat", function(s)
    local eating = 0
    for i = 1, 5 do
      if eats(s, i) then eating = eating + 1 end
    end
    return eating == 2
  end)
end)
