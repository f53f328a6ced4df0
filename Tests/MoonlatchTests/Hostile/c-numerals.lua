-- Attempt: have texts of megabytes read as numbers by C
-- Stopped: the instruction limit is reached

state { n = 0 }
action.good {}
action.hostile {}

function reduce.good(s) s.n = s.n + 1 end
function reduce.hostile(s)
  local text, t = (" "):rep(1000000) .. "1", {}
  for i = 1, 200 do t[i] = text end
  for _ = 1, 100000 do
    math.max(table.unpack(t))
    math.abs(text)
    pcall(string.char, text)
    pcall(string.rep, "x", text)
    pcall(string.format, "%d", text)
    pcall(table.insert, t, text, 1)
    pcall(utf8.char, text)
  end
end
