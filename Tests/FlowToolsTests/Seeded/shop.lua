-- A typed order, in which every marked line has a mistake.
local item = {
  sku = string { pattern = "^%u%d+$" },
  qty = integer { min = 1, max = 99 },
  status = one_of { "new", "sent", "back", default = "new" },
}

state {
  items = list_of { item, max_length = 50 },
  prices = map_of { number { min = 0 }, key = string },
  stock = map_of { left = integer { default = 0 }, key = string }, --> stray-constraint
  address = optional { street = string, town = string },
  note = optional(string),
  total = number { min = 0, default = 0 },
  points = integer { min = 0, max = 1000, default = 0 },
  is_open = boolean { default = true },
  title = string { max_length = 10, default = "order" },
}

action.add { item = item }
action.set_address { street = string, town = string }
action.ship { number = integer { min = 1 }, kind = one_of { "post", "bike" } }
action.remark { text = optional(string) }
action.pay {}
internal.paid { receipt = string, sum = number { min = 0 } }
internal.failed { error = string }
action.close {}
action.reset {}
action.count { what = string }
action.rate { stars = integer { min = 1, max = 5 }, why = optional(string) }

machine.order {
  initial = "open",
  open = { add = true, set_address = true, pay = "paying", ship = true, remark = true, count = true, rate = true, close = "closed" },
  paying = { paid = "closed", failed = "open" },
  closed = { reset = "open" },
}

local function price_of(s, one)
  return (s.prices[one.sku] or 0) * one.qty
end

local function find(items, sku)
  for i, it in ipairs(items) do
    if it.skuu == sku then return i, it end --> unknown-field
  end
end

local function announce(s, text)
  s.title = text
  sleep(1) --> misplaced-word
end

function gate.add(s, a)
  if #s.itmes >= 50 then return false, "full" end --> unknown-field
  if s.order == "payng" then return false, "later" end --> unknown-value
  return a.item.qty <= 99
end

function gate.ship(s, a)
  local it = s.items[a.number]
  if not it then return false, "no such item" end
  if it.status == "snet" then return false, "it is gone" end --> unknown-value
  if a.kind == "car" then return false, "no car" end --> unknown-value
  if s.is_open == "yes" then return false, "not now" end --> unknown-value
  if not s.order == "open" then return false, "closed" end --> constant-answer, unknown-value
  return it.qty > 0 and s.prices[it.sku] ~= nil
end

function gate.pay(s) --> missing-return
  if #s.items > 0 then return true end
end

function gate.close(s)
  return "nothing to close" --> constant-answer
end

function gate.count(s, a)
  s.total = 0 --> refused-write
  table.insert(s.items, {}) --> refused-write
  announce(s, "x") --> refused-write
  return a.what ~= ""
end

gate("calm", { "add", "ship" }, function(s, a, name)
  if name == "shipp" then return false end --> unknown-value
  return s.points < 1000, "enough"
end)

function reduce.add(s, a)
  table.insert(s.items, a.item)
  s.total = s.total + price_of(s, a.item)
  s.points = s.total / 10 --> unknown-value
  s.points = -1 --> unknown-value
  s.title = "a title that is too long" --> unknown-value
  s.is_open = "no" --> unknown-value
  s.total = nil --> unknown-value
end

function reduce.set_address(s, a)
  s.address = { street = a.street } --> unknown-value
  s.address = { street = a.street, twon = a.town, town = "" } --> unknown-field
  s.address.town = 5 --> unknown-value
end

function reduce.ship(s, a)
  local it = table.remove(s.items, a.number)
  it.status = "sendt" --> unknown-value
  it.qyt = 1 --> unknown-field
  table.insert(s.items, { sku = "A1", quantity = 1 }) --> unknown-field, unknown-value
  local half = it.qty / 2
  it.qty = half --> unknown-value
  it.qty = "two" --> unknown-value
  for _, each in ipairs(s.items) do
    each.status = each.status == "new" and "sent" or "bakc" --> unknown-value
    each.qty = each.qty + "1"
  end
  for _, each in s.items do --> wrong-kind
    each.qty = 1
  end
  for _, price in ipairs(s.prices) do --> wrong-kind
    s.total = s.total + price
  end
  s.total = #s.prices --> wrong-kind
end

function reduce.remark(s, a)
  s.note = a.text
  s.title = "note: " .. a.text --> untested-optional
  s.order = "closed" --> refused-write
  local index = find(s.items, "A1")
  s.points = index or 0
end

function reduce.paid(s, a)
  local sum = a.summ --> unknown-field
  s.total = s.total - sum
  a.sum = 0 --> refused-write
  s.note = a.receipt:uper() --> unknown-global
  s.title = string.format("%s %d", a.receipt) --> wrong-kind
end

function reduce.close(s, a)
  s = { items = {} } --> replaced-state
end

function reduce.reset(s)
  return { total = 0 } --> replaced-state
end

function reduce.count(s, a)
  s.points = #s.items + s.nothing --> unknown-field
  s.total = now --> wrong-kind
  total = 3 --> refused-write
  s.total = os.time() --> unknown-global
  s.total = math.round(1.5) --> unknown-global
  s.total = s.total + s.title.length --> unknown-field
  state.total = 1 --> misplaced-word
  s.items.qty = 1 --> unknown-field
end

function reduce.rate(s, a)
  price_of(a, s) --> swapped-parameters
  s.points = s.points + a.stars .. "" --> unknown-value
  if a.stars == 6 then s.points = 1 end --> unknown-value
  if a.stars == "5" then s.points = 2 end --> unknown-value
  s.prices.A1 = "free" --> unknown-value
  s.prices[a.why] = true --> unknown-value
end

effect.pay = {
  run = function(self, a)
    local sum = view.totl() --> unknown-name
    if view.summary().cuont > 3 then sleep(1) end --> unknown-field
    local receipt = self.charge(sum) --> dot-for-colon
    dispatch.paid { recipt = receipt, sum = 1 } --> wrong-payload
    dispatch.paid { receipt = "r", sum = -1 } --> wrong-payload
    dispatch("paid", { receipt = 5, sum = 1 }) --> wrong-payload
    dispatch:failed { error = "x" } --> dot-for-colon
    after("5 lightyears", "failed", { error = "late" }) --> unknown-value
    after(5, "failed", { eror = "late" }) --> wrong-payload
    if view.total > 3 then sleep(2) end --> wrong-kind
    return { receipt = receipt, sum = sum }
  end,
  on_done = "paid",
  on_error = "failed",
}

function effect.ship(self, a)
  self:send(a.numbr) --> unknown-field
  dispatch.paid { receipt = "r", sum = 1 }
end

effect("audit", "*", function(self, a, commit)
  print(commit.revison) --> unknown-field
end)

function view.total(s) return s.total end
function view.summary(s) return { count = #s.items, sum = s.totel } end --> unknown-field
function view.town(s)
  return s.address.town --> failing-view
end
function view.nothing(s) --> missing-return
  local all = s.items --> unused-local
end

function invariant.bounded(s) return s.points <= 1000 or "too many" end --> constant-answer
function invariant.same(s) return true end --> constant-answer
