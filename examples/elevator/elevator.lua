-- An elevator: a cabin and its door, each a machine of its own. It goes where it was first called
-- to, and stops on its way wherever else it was called to in the meantime.
local TOP = 6

state {
  floor = integer { default = 1 },
  calls = list_of(integer),   -- the floors it is called to, in the order of the calls
}

action.call { floor = integer { min = 1, max = TOP } }
action.depart {}
action.arrive {}     -- at the next floor

action.open {}       -- the button inside
action.opened {}
action.obstruct {}   -- somebody stands in the light barrier
action.close {}      -- the button inside, and the timer
action.closed {}

-- ------------------------------------------------------------------ The cabin

local function is_called(s, floor)
  for place, call in ipairs(s.calls) do
    if call == floor then return place end
  end
  return nil
end

-- The first call decides where to go.
local function called_above(s)
  return s.calls[1] and s.calls[1] > s.floor, "nobody calls from above"
end

local function called_below(s)
  return s.calls[1] and s.calls[1] < s.floor, "nobody calls"
end

local function next_floor(s)
  return s.floor + (s.cabin == "up" and 1 or -1)
end

local function stops_next(s)
  return is_called(s, next_floor(s))
end

machine.cabin {
  initial = "still",

  still = {
    depart   = { { to = "up", when = called_above }, { to = "down", when = called_below } },
    open     = "still",   -- here, and only here, the door may open
    on_enter = function(s) table.remove(s.calls, is_called(s, s.floor)) end,
  },

  -- Going up, or down, lasts for one floor; on to the next one is another going.
  up = {
    arrive  = { { to = "still", when = stops_next }, { to = "up", reenter = true } },
    after   = { arrive = 3 },
    on_exit = function(s) s.floor = s.floor + 1 end,
  },
  down = {
    arrive  = { { to = "still", when = stops_next }, { to = "down", reenter = true } },
    after   = { arrive = 3 },
    on_exit = function(s) s.floor = s.floor - 1 end,
  },
}

-- ------------------------------------------------------------------ The door

machine.door {
  initial = "closed",

  closed = {
    depart = "closed",   -- nobody departs with any other door
    arrive = { { to = "opening", when = stops_next }, { to = "closed" } },
    open   = "opening",
  },
  opening = { open = "opening", obstruct = "opening", opened = "open", after = { opened = 2 } },
  open = {
    open     = { to = "open", reenter = true },   -- the five seconds begin anew
    obstruct = { to = "open", reenter = true },
    close    = "closing",
    after    = { close = 5 },
  },
  closing = { open = "opening", obstruct = "opening", closed = "closed", after = { closed = 2 } },
}

function invariant.the_door_is_closed_while_the_cabin_moves(s)
  return s.cabin == "still" or s.door == "closed", ("%s with the door %s"):format(s.cabin, s.door)
end

function invariant.the_cabin_stays_in_its_shaft(s)
  return s.floor >= 1 and s.floor <= TOP
end

-- ------------------------------------------------------------------ Calls

-- The floor at which it stands; none while it moves.
local function standing_at(s)
  return s.cabin == "still" and s.floor or nil
end

view.standing_at = standing_at

function reduce.call(s, a)
  if standing_at(s) ~= a.floor and not is_called(s, a.floor) then
    table.insert(s.calls, a.floor)
  end
end

-- Whoever calls it to where it stands wants the door to open.
function effect.call(_, a)
  dispatch(view.standing_at() == a.floor and "open" or "depart")
end

-- Refused where nobody has called. Then it waits.
function effect.closed()
  dispatch.depart()
end

-- What the display over the door says.
function view.display(s)
  local arrow = { still = "", up = "^", down = "v" }
  return s.floor .. arrow[s.cabin]
end
