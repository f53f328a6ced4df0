-- {Title}: two to four players take turns, roll a die, and race to twenty.
local GOAL = 20
local name = string { min_length = 1, max_length = 12, samples = { "ann", "bob" } }

state {
  players = list_of { { name = name, score = integer { min = 0, default = 0 } }, max_length = 4 },
  turn = 1,
}

action.join { name = name }
action.start {}
action.roll { name = name }

machine{machine} {
  initial = "lobby",

  lobby   = { join = true, start = "playing" },
  playing = { roll = true, always = { { to = "over", when = function(s)
    return table.any(s.players, function(player) return player.score >= GOAL end)
  end } } },
  over    = { final = true },
}

function gate.join(s, a)
  if #s.players == 4 then return false, "four players at most" end
  return not table.any(s.players, function(player) return player.name == a.name end), "that name is taken"
end
function gate.start(s) return #s.players >= 2, "two players at least" end
function gate.roll(s, a)
  local player = s.players[s.turn]
  return player.name == a.name, "it is the turn of " .. player.name
end

function reduce.join(s, a) table.insert(s.players, { name = a.name }) end
function reduce.start(s) table.shuffle(s.players) end
function reduce.roll(s)
  local player = s.players[s.turn]
  player.score = player.score + random(6)
  if player.score < GOAL then s.turn = s.turn % #s.players + 1 end
end

function view.next(s) return s{field} == "playing" and s.players[s.turn].name or none end
function view.winner(s)
  local player = table.find(s.players, function(it) return it.score >= GOAL end)
  return player and player.name
end

function invariant.turn(s) return s.turn >= 1 and s.turn <= math.max(1, #s.players) end
