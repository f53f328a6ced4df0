-- The two jugs of Die Hard 3: one holds 3 gallons and the other 5. How do you measure 4?
local SMALL, BIG = 3, 5

state { small = 0, big = 0 }

action.fill_small {}
action.fill_big {}
action.empty_small {}
action.empty_big {}
action.small_to_big {}
action.big_to_small {}

function reduce.fill_small(s)
  s.small = SMALL
end

function reduce.fill_big(s)
  s.big = BIG
end

function reduce.empty_small(s)
  s.small = 0
end

function reduce.empty_big(s)
  s.big = 0
end

function reduce.small_to_big(s)
  local poured = math.min(s.small, BIG - s.big)
  s.small = s.small - poured
  s.big = s.big + poured
end

function reduce.big_to_small(s)
  local poured = math.min(s.big, SMALL - s.small)
  s.big = s.big - poured
  s.small = s.small + poured
end
