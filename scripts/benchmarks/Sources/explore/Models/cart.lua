-- A shopping cart of up to four lines, with its total.
local LINES = 4

state { lines = list {}, total = 0 }

local PRICES = { a = 3, b = 5, c = 7 }
local AT = integer { min = 1, max = LINES }

action.add { sku = one_of { "a", "b", "c" }, quantity = integer { min = 1, max = 2 } }
action.drop { at = AT }
action.more { at = AT }

local function sum(s)
  local sum = 0
  for _, line in ipairs(s.lines) do sum = sum + PRICES[line.sku] * line.quantity end
  return sum
end

function gate.add(s) return #s.lines < LINES, "the cart is full" end
function reduce.add(s, a)
  table.insert(s.lines, { sku = a.sku, quantity = a.quantity })
  s.total = sum(s)
end

function gate.drop(s, a) return s.lines[a.at] ~= nil, "there is no such line" end
function reduce.drop(s, a)
  table.remove(s.lines, a.at)
  s.total = sum(s)
end

function gate.more(s, a) return s.lines[a.at] ~= nil and s.lines[a.at].quantity < 3, "there is no more" end
function reduce.more(s, a)
  s.lines[a.at].quantity = s.lines[a.at].quantity + 1
  s.total = sum(s)
end

function invariant.total(s) return s.total == sum(s) end
