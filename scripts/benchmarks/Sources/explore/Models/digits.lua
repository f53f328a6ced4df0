-- A lock with three wheels: ten actions, a thousand states.
state { a = 0, b = 0, c = 0 }

for _, wheel in ipairs { "a", "b", "c" } do
  action["up_" .. wheel] {}
  reduce["up_" .. wheel] = function(s) s[wheel] = (s[wheel] + 1) % 10 end
  action["down_" .. wheel] {}
  reduce["down_" .. wheel] = function(s) s[wheel] = (s[wheel] - 1) % 10 end
end

action.clear {}
action.swap {}
action.same {}
action.open {}

function reduce.clear(s) s.a, s.b, s.c = 0, 0, 0 end
function reduce.swap(s) s.a, s.c = s.c, s.a end
function reduce.same(s) s.b = s.a end
function gate.open(s) return s.a == 4 and s.b == 7 and s.c == 1, "it is locked" end
