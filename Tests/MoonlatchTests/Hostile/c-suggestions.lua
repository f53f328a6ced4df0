-- Attempt: misspell names where many are declared
-- Stopped: the instruction limit is reached

state { n = 0 }
action.good {}
action.hostile {}

function reduce.good(s) s.n = s.n + 1 end
for i = 1, 3000 do action[("a_rather_long_name_of_an_action_%d"):format(i)] {} end
function effect.hostile()
  for _ = 1, 1000000 do
    pcall(function() return dispatch["a_rather_long_name_of_an_actoin"] {} end)
    pcall(function() return may["a_rather_long_name_of_an_actoin"] {} end)
  end
end
