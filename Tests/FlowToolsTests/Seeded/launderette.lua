-- A washing machine in a launderette: coins, a door with a lock, programs with phases, a pause.
local cents = integer { min = 0 }
local program_name = one_of { "cotton", "wool", "quick" }

local programs = {
  cotton = { price = 450, degrees = 60, washing = 1800, rinses = 3, speed = 1400 },
  wool   = { price = 500, degrees = 30, washing = 1200, rinses = 2, speed = 600 },
  quick  = { price = 300, degrees = 40, washing = 600, rinses = 1, speed = 1000 },
}

state {
  credit   = cents { default = 0 },
  takings  = cents { default = 0 },
  program  = optional(program_name),
  degrees  = number { min = -20, max = 100, default = 18 },
  litres   = number { min = 0, max = 60, default = 0 },
  rinses   = integer { min = 0, max = 5, default = 0 },
  washes   = list_of { { program = program_name, at = number }, max_length = 100 },
  problem  = optional(string),
}

action.coin { amount = one_of { 50, 100, 200 } }
action.give_back {}
action.choose { program = program_name }
action.start {}
action.pause {}
action.resume {}
action.stop {}
action.open_door {}
action.close_door {}
action.measured { degrees = number, litres = number { min = 0 } }
action.leak { place = string { min_length = 1 } }
action.repaired { by = string }
internal.valve_stuck { error = string }
internal.valve_closed {}

local function is_full(s) return s.litres >= 20 end

local function chosen(s) return programs[s.program] end

machine.door {
  initial = "closed",
  closed  = {
    open_door = { to = "opened", when = function(s) return not in_state(s, "washer.busy"), "the door is locked" end },
    start     = true,
  },
  opened  = {
    close_door = "closed",
    start      = { refuse = "close the door first" },
  },
}

machine.washer {
  initial = "idle",
  idle = {
    coin      = true,
    choose    = { reduce = function(s, a) s.program = a.program end },
    give_back = { when = function(s) return s.credit > 0, "there is nothing to give back" end },
    start     = {
      to   = "busy",
      when = function(s)
        local program = chosen(s)
        if not program then return false, "choose a program first" end
        return s.credit >= program.price, "the price is " .. program.price .. " cents"
      end,
    },
    open_door = true,
  },
  busy = {
    initial  = "running",
    leak     = "broken",
    measured = true,
    running = {
      initial  = "filling",
      pause    = "paused",
      filling  = {
        effect   = { run = function(self) self:open_valve() end, on_error = "valve_stuck", on_done = "valve_closed" },
        valve_closed = { to = "washing", when = function(s) return is_full(s), "too little water" end },
        valve_stuck  = "broken",
        after    = { { "10m", { to = "broken", reduce = function(s) s.problem = "no water" end } } },
      },
      washing  = { after = { { function(s) return chosen(s).washing end, "rinsing" } } },
      rinsing  = {
        on_enter = function(s) s.rinses = 0 end,
        every    = { { "4m", {
          { to = "spinning", when = function(s) return s.rinses + 1 >= chosen(s).rinses end },
          { reduce = function(s) s.rinses = s.rinses + 1 end },
        } } },
      },
      spinning = {
        effect = function(self) self:spin(view.speed()) end,
        after  = { { "6m", "done" } },
      },
      done     = { final = true },
      on_done  = "finished",
    },
    paused = {
      resume = { to = "running", history = true },
      stop   = "idle",
      after  = { { "1h", "idle" } },
    },
    on_exit = function(s) s.litres = 0 end,
  },
  finished = {
    on_enter  = function(s)
      table.insert(s.washes, { program = s.program or "quick", at = now() })
      if #s.washes > 100 then table.remove(s.washes, 1) end
      s.program = nil
    end,
    open_door = "idle",
  },
  broken = {
    on_enter = function(s) s.problem = s.problem or "unknown" end,
    repaired = { to = "idle", reduce = function(s) s.problem = nil end },
    leak     = true,
  },
}

function reduce.coin(s, a) s.credit = s.credit + a.amount end
function reduce.give_back(s) s.credit = 0 end
function reduce.leak(s, a) s.problem = "water at " .. a.place end

function reduce.start(s)
  local price = chosen(s).price
  s.credit = s.credit - price
  s.takings = s.takings + price
end

function reduce.measured(s, a)
  s.degrees, s.litres = math.min(math.max(a.degrees, -20), 100), math.min(a.litres, 60)
end

function reduce.valve_stuck(s, a) s.problem = a.error end

function effect.give_back(self, _, commit)
  for _, change in ipairs(commit.changes) do
    if change.path == "credit" then self:return_coins(change.old) end
  end
end

function effect.repaired(_, a) print("repaired by " .. a.by) end

function view.speed(s) return s.program and programs[s.program].speed or 0 end
function view.heating(s) return in_state(s, "washer.busy.running.washing") and s.degrees < chosen(s).degrees end
function view.display(s)
  if s.problem then return "out of order: " .. s.problem end
  if in_state(s, "washer.busy.paused") then return "paused" end
  return s.program or "choose a program"
end

function invariant.dry_when_open(s) return s.door == "closed" or s.litres == 0, "the door is open in the water" end
function invariant.few_washes(s) return #s.washes <= 100, "the log is too long" end
