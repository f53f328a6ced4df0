-- Records with machines, plain fields, nested states.
state {
  players = map_of { { name = string, lives = integer { min = 0, default = 3 }, points = integer { default = 0 } }, key = string },
  log = list {},
  phase = "lobby",
  round = 0,
  board = { width = 8, height = 8, title = "" },
}

action.join { id = string, name = string }
action.leave { id = string }
action.ready { id = string }
action.hit { id = string, by = optional(string), damage = integer { min = 1, default = 1 } }
action.start {}
action.tick {}
action.stop {}
internal.timeout { after = number } --> impossible-action

machine.stage {
  each = "players", which = "id", without = { join = true },
  initial = "waiting",
  waiting = { ready = "ready", after = { leave = 120 } },
  ready = { start = "playing" },
  playing = {
    hit = {
      { to = "out", when = function(s, a, it) return it.live <= 1 end }, --> unknown-field
      { reduce = function(s, a, it, id) it.lives = it.lives - a.damge end }, --> unknown-field
    },
  },
  out = { final = true },
  leave = true,
}

machine.game {
  initial = "lobby",
  lobby = { start = "running" },
  running = {
    initial = "calm",
    calm = { tick = "busy" },
    busy = { tick = { to = "calm", when = function(s) return s.game == "running.bsy" end } }, --> unknown-value
    stop = "over",
    after = { start = 600 }, --> unheard-timer
  },
  over = { always = { to = "lobby", when = function(s) return s.rond > 3 end } }, --> unknown-field
  break_room = { timeout = "lobby" }, --> unreachable-state
}

gatekeeper.turn { hit = "attempt" } --> never-reset

local function player(s, id) return s.players[id] end

local function award(s, id, points)
  local p = player(s, id)
  p.points = p.points + points
end

local function unused_helper(s) return s.round end --> unused-local
function idle_helper(s) return s.round end --> unused-local

function gate.join(a, s) --> swapped-parameters
  return s.players[a.id] == nil, "taken"
end

function gate.start(s)
  return count_in(s, "stage.redy") > 1, "too few" --> unknown-value
end

function gate.hit(s, a)
  local p = s.players[a.id]
  if p.stage ~= "plaing" then return false, "not yet" end --> unknown-value
  if s.phase == "runing" then return true end --> unknown-value
  return p.lives > 0 or 1 --> constant-answer
end

function gate.tick(s)
  if in_state(s, "game.runing") then return true end --> unknown-value
  return --> missing-return
end

function reduce.join(s, a)
  s.players[a.id] = { name = a.name }
  s.players[a.id].lives = s.players[a.id].lives + 1 --> early-default
end

function reduce.start(s)
  s.phase = "running"
  s.round = s.round + 1
  award(s, 10, "ann") --> swapped-parameters
end

function reduce.hit(s, a)
  local p = s.players[a.id]
  p.stage = "out" --> refused-write
  p.name = nil --> unknown-value
  award(s, a.by, 1)
  local fresh = { name = "x" }
  s.players[a.by or "x"] = fresh
  p.points = fresh.points --> early-default
  s.board.widht = 9 --> unknown-field
  s.players.extra = { nmae = "x" } --> unknown-field, unknown-value
end

function reduce.tick(s)
  s.phase = "lobby"
  s.log[#s.log + 1] = { at = now(), at = 3 } --> duplicate-key
  local row = s.log[1]
  row.whatever = 1
  for id, p in pairs(s.players) do
    if p.lifes == 0 then s.players[id] = nil end --> unknown-field
    p.points = p.points + #id + string.len(p.name) + tbl.x --> unknown-global
  end
  local first, second = 1 --> unused-local
  s.round = first
end

function reduce.stop(s)
  dispatch.tick() --> misplaced-word
  local count = view.alive() --> misplaced-word
  s.round = count
end

function effect.start(self)
  local own = self
  sleep(true) --> unknown-value
  dispatch.timeout { after = "soon" } --> wrong-payload, never-passes
  dispatch.timeout() --> wrong-payload, never-passes
  dispatch.tick(5) --> wrong-payload
  own:show(view.alive().count)
  may.tik() --> unknown-name
  cancel("tikc") --> unknown-name
end

function view.alive(s)
  local n = 0
  for _, p in pairs(s.players) do if p.stage == "playing" then n = n + 1 end end
  return { count = n, of = s.player } --> unknown-field
end

scope.match {
  key = function(s) return s.phase == "running" and s.rounds end, --> unknown-field
  actions = { "stop" },
}

function invariant.small(s)
  if s.board.width > 10 then return false, "too wide" end
  return s.board.hight < 10, "too high" --> unknown-field, fault
end
