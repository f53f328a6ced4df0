-- The 8-puzzle: each of its 181,440 states is a permutation.
state { board = { 1, 2, 3, 4, 5, 6, 7, 8, 0 } }

action.move { to = one_of { "up", "down", "left", "right" } }

local STEP = { up = -3, down = 3, left = -1, right = 1 }

local function blank(s)
  for i = 1, 9 do
    if s.board[i] == 0 then return i end
  end
end

function gate.move(s, a)
  local at = blank(s)
  local to = at + STEP[a.to]
  local is_inside = to >= 1 and to <= 9 and not (a.to == "left" and at % 3 == 1) and not (a.to == "right" and at % 3 == 0)
  return is_inside, "there is an edge"
end

function reduce.move(s, a)
  local at = blank(s)
  local to = at + STEP[a.to]
  s.board[at], s.board[to] = s.board[to], 0
end

function invariant.permutation(s)
  local sum, squares = 0, 0
  for i = 1, 9 do
    sum, squares = sum + s.board[i], squares + s.board[i] * s.board[i]
  end
  return sum == 36 and squares == 204
end
