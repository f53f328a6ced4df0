-- The launderette again, with the mistakes of somebody who learns the language.
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
action.rinse_again {} --> idle-action
internal.valve_stuck { error = string }
internal.valve_closed {}

local function is_full(s) return s.litres >= 20 end

local function chosen(s) return programs[s.program] end

machine.door {
  initial = "closed",
  closed  = {
    open_door = { to = "opened", when = function(s) return not in_state(s, "washer.bussy"), "the door is locked" end }, --> unknown-value
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
    choose    = { reduce = function(s, a) s.program = a.program == "silk" and "wool" or a.program end }, --> unknown-value
    give_back = { when = function(s) return s.credit, "there is nothing to give back" end }, --> constant-answer
    start     = {
      to   = "busy",
      when = function(s) --> missing-return
        local program = chosen(s)
        if not program then return false, "choose a program first" end
        print("the price is " .. program.price)
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
        effect   = { run = function(self) sleep("5 min") self:open_valve() end, on_error = "valve_stuck", on_done = "valve_closed" }, --> unknown-value
        valve_closed = { to = "washing", when = function(s) s.problem = nil return is_full(s), "too little water" end }, --> refused-write
        valve_stuck  = "broken",
        after    = { { "10m", { to = "broken", reduce = function(s) s.problem = 5 end } } }, --> unknown-value
      },
      washing  = { after = { { function(s) return chosen(s).washing end, "rinsing" } } },
      rinsing  = {
        on_enter = function(s, _, it) s.rinses = it.rinses end, --> wrong-kind
        every    = { { "4m", {
          { to = "spinning", when = function(s) return not s.rinses + 1 >= chosen(s).rinses end }, --> constant-answer, wrong-kind
          { reduce = function(s) s.rinses = s.rinses / 2 end }, --> unknown-value
        } } },
      },
      spinning = {
        effect = function(self) self:spin(view.speed * 2) end, --> wrong-kind
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
    on_exit = function(s) s.washer = "idle" s.litres = 0 end, --> refused-write
  },
  finished = {
    on_enter  = function(s)
      table.insert(s.washes, { programm = s.program or "quick", at = os.time() }) --> unknown-field, unknown-value, unknown-global
      for i, one in ipairs(s.washes) do
        if one.at < now() - 1000 then table.remove(s.washes, i) end --> skipped-element
      end
      if s.washes.length > 100 then table.remove(s.washes, 1) end --> unknown-field
      s.program = null --> unknown-global
    end,
    open_door = "idle",
  },
  broken = {
    on_enter = function(s) for i = 1, s.washes do print(i) end end, --> wrong-kind
    repaired = { to = "idle", reduce = function(s) s.problem = nil end },
    leak     = true,
  },
}

function reduce.coin(s, a)
  if s.credit > 1000 then dispatch.give_back() end --> misplaced-word
  a.amount = math.floor(a.amount, 2) --> refused-write, swapped-parameters
  s.credit = s.credit + a.payload.amount --> unknown-field
end

function reduce.give_back(s) return { credit = 0, takings = s.takings } end --> replaced-state
function reduce:leak(s, a) s.problem = "water at " .. a.place end --> dot-for-colon

function reduce.start(s)
  local price = chosen(s).price
  s.credit = s.credit - price
  s.takings = s.takins + price --> unknown-field
end

function reduce.measured(a, s) --> swapped-parameters
  s.degrees, s.litres = math.min(math.max(a.degrees, -20), 100), math.min(a.litres, 60) --> refused-write
end

function reduce.valve_stuck(s, a) s.problem = "the valve: " + a.error end --> wrong-kind, unknown-value

function effect.give_back(self, _, commit)
  for _, change in ipairs(commit.changes) do
    if change.name == "credit" then return_coins(change.old) end --> unknown-field, unknown-global
  end
end

function effect.repaired(a) print("repaired by " .. a.by) end --> swapped-parameters

function view.speed(s) return s.program and programs[s.program].speed or 0 end
function view.heating(s) return in_state(s, "washer.busy.running.washing") and s.degrees < chosen(s).degrees end
function view.display(s)
  s.problem = s.problem or "none" --> refused-write
  if s.problem ~= none then return "out of order: " .. s.problem end --> constant-answer
  if s.washer == "paused" then return "paused" end --> unknown-value
  if s.washes == {} then return "never used" end --> constant-answer
  return s.program or "choose a program"
end

function invariant.dry_when_open(s) return s.door or s.litres == 0, "the door is open in the water" end --> constant-answer
function invariant.few_washes(s) return #s.washes <= 100 or "the log is too long" end --> constant-answer
