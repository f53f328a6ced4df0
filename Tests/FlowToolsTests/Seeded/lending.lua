-- A lending library: members, books with their loans, reservations, fees, reminders by mail.
local isbn = string { pattern = "^%d+$", min_length = 10, max_length = 13 }
local member_id = string { min_length = 1, max_length = 20 }

local member = {
  name   = string { min_length = 1 },
  mail   = optional(string),
  fees   = integer { min = 0, default = 0 },
  kind   = one_of { "adult", "child", default = "adult" },
}

local book = {
  title    = string,
  authors  = list_of(string),
  year     = optional(integer { min = 1400 }),
  holder   = optional(member_id),
  due      = optional(number),
  waiting  = list_of { member_id, max_length = 10 },
}

state {
  members  = map_of { member, key = member_id },
  books    = map_of { book, key = isbn },
  catalogue_errors = list_of { { isbn = isbn, error = string }, max_length = 20 },
  returned = 0,
}

action.enrol   { id = member_id, name = string { min_length = 1 }, mail = optional(string), kind = one_of { "adult", "child" } }
action.leave   { id = member_id }
action.buy     { isbn = isbn }
internal.found { isbn = isbn, title = string, authors = list_of(string), year = optional(integer { min = 1400 }) }
internal.not_found { isbn = isbn, error = string }
action.lend    { isbn = isbn, member = member_id, days = integer { min = 1, max = 60, default = 28 } }
action.give_back { isbn = isbn }
action.reserve { isbn = isbn, member = member_id }
action.collect { isbn = isbn, member = member_id }
internal.remind { isbn = isbn }
action.pay     { member = member_id, cents = integer { min = 1 } }
action.write_off { isbn = isbn, reason = optional(string { max_length = 80 }) }

local DAY = 24 * 60 * 60
local FEE = { adult = 20, child = 5 }

-- Each book is on the shelf, lent, kept for who waits, or lost.
machine.copy {
  each    = "books",
  which   = "isbn",
  without = { found = true },
  initial = "shelved",
  shelved = { lend = "lent", write_off = "lost", reserve = { refuse = "it is on the shelf" } },
  lent = {
    give_back = {
      { to = "kept", when = function(_, _, it) return #it.waiting > 0 end },
      { to = "shelved" },
    },
    reserve   = true,
    write_off = "lost",
    after     = { remind = function(_, _, it) return it.due and it.due - now() end },
    remind    = true,
  },
  kept = {
    collect = { to = "lent", when = function(_, a, it) return it.waiting[1] == a.member, "someone else is first" end },
    reserve = true,
    effect  = function(self, _, it) self:send_mail(it.waiting[1], "A book is here for you: " .. it.title) end,
  },
  lost  = { found = "shelved", reserve = { refuse = "it is lost" } },
  found = { refuse = "we have it already" },
}

gatekeeper.catalogue {
  buy       = { attempt = function(_, a) return a.isbn end },
  found     = { reset = function(_, a) return a.isbn end },
  not_found = { reset = function(_, a) return a.isbn end },
}

local function loans(s, id)
  return table.sum(s.books, function(one) return one.holder == id and 1 or 0 end)
end

local function may_borrow(s, id, most)
  local reader = s.members[id]
  if not reader then return false, "there is no member " .. id end
  if reader.fees >= 1000 then return false, reader.name .. " owes " .. reader.fees .. " cents" end
  return loans(s, id) < most, "no more than " .. most .. " books at a time"
end

function gate.enrol(s, a) return s.members[a.id] == nil, "the number is taken" end
function gate.leave(s, a) return s.members[a.id] ~= nil and loans(s, a.id) == 0, "give the books back first" end
function gate.buy(s, a) return s.books[a.isbn] == nil or s.books[a.isbn].copy == "lost", "we have it" end
function gate.lend(s, a) return may_borrow(s, a.member, s.members[a.member] and s.members[a.member].kind == "child" and 5 or 10) end
function gate.pay(s, a) return s.members[a.member] ~= nil and a.cents <= s.members[a.member].fees, "that is too much" end

gate("members only", { "reserve", "collect" }, function(s, a)
  return s.members[a.member] ~= nil, "there is no member " .. a.member
end)

function reduce.enrol(s, a) s.members[a.id] = { name = a.name, mail = a.mail, kind = a.kind } end
function reduce.leave(s, a) s.members[a.id] = nil end

function reduce.found(s, a)
  s.books[a.isbn] = { title = a.title, authors = a.authors, year = a.year }
end

function reduce.not_found(s, a)
  table.insert(s.catalogue_errors, 1, { isbn = a.isbn, error = a.error })
  if #s.catalogue_errors > 20 then table.remove(s.catalogue_errors) end
end

local function hand_out(s, a, days)
  local one = s.books[a.isbn]
  one.holder, one.due = a.member, now() + days * DAY
end

function reduce.lend(s, a) hand_out(s, a, a.days) end

function reduce.collect(s, a)
  table.remove(s.books[a.isbn].waiting, 1)
  hand_out(s, a, 28)
end

function reduce.give_back(s, a)
  local one = s.books[a.isbn]
  local reader = s.members[one.holder]
  if reader and one.due and one.due < now() then
    local late = math.ceil((now() - one.due) / DAY)
    reader.fees = reader.fees + late * FEE[reader.kind]
  end
  one.holder, one.due = nil, nil
  s.returned = s.returned + 1
end

function reduce.reserve(s, a) table.insert(s.books[a.isbn].waiting, a.member) end
function reduce.pay(s, a) s.members[a.member].fees = s.members[a.member].fees - a.cents end
function reduce.write_off(s, a) s.books[a.isbn].holder, s.books[a.isbn].due = nil, nil end

effect.buy = {
  run = function(self, a)
    local answer = self:look_up(a.isbn)
    return { isbn = a.isbn, title = answer.title, authors = answer.authors, year = answer.year }
  end,
  on_done = "found", on_error = "not_found",
}

function effect.remind(self, a)
  local holder, title = view.holder(a.isbn), view.title(a.isbn)
  if holder then self:send_mail(holder, "Please bring back " .. title) end
end

effect("journal", { "write_off", "leave" }, function(_, a, commit)
  print(commit.action, a.reason or a.id)
end)

function view.holder(s, number) return s.books[number] and s.books[number].holder end
function view.title(s, number) return s.books[number] and s.books[number].title end
function view.lent(s) return count_in(s, "copy.lent") end
function view.owed(s)
  local sum = 0
  for _, one in pairs(s.members) do sum = sum + one.fees end
  return sum
end

function invariant.known_holders(s)
  for _, one in pairs(s.books) do
    if one.holder and not s.members[one.holder] then return false, one.title .. " is with a stranger" end
  end
  return true
end
