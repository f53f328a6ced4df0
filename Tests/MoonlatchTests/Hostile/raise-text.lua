-- Attempt: raise a text of a million bytes 100,000 times in one table
-- Stopped: x

state { n = 0 }
action.good {}
action.hostile {}

function reduce.good(s) s.n = s.n + 1 end
function reduce.hostile()
  local text, t = ("x"):rep(1000000), {}
  for i = 1, 100000 do t[i] = text end
  error { message = "x", t = t }
end
