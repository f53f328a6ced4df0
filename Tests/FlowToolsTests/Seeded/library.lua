-- The lending library again, with the mistakes of somebody who learns the language.
local isbn = string { pattern = "^%d{10,13}$", min_length = 10, max_length = 13 } --> foreign-pattern
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
  members  = map_of(member, member_id), --> swapped-parameters
  books    = map_of { book, key = isbn },
  catalogue_errors = list_of { { isbn = isbn, error = string }, max_length = 20 },
  returned = integer { default = 0 },
}

action.enrol   { id = member_id, name = string { min_length = 1 }, mail = optional(string), kind = one_of { "adult", "kid" } }
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
      { to = "kept", when = function(_, _, it) return #it.wating > 0 end }, --> unknown-field
      { to = "shelved" },
    },
    reserve   = true,
    write_off = "lost",
    after     = { remind = function(_, _, it) return it.due and it.due - now() end },
    remind    = true,
  },
  kept = {
    collect = { to = "lent", when = function(_, a) return it.waiting[1] == a.member, "someone else is first" end }, --> unknown-global
    reserve = true,
    effect  = function(self, a, it) self:send_mail(it.watiing[1], a.who .. ", a book is here for you: " .. it.title) end, --> unknown-field
  },
  lost  = { found = "shelved", reserve = { refuse = "it is lost" } },
  found = { refuse = "we have it already" },
}

gatekeeper.catalogue {
  buy       = { attempt = function(_, a) return a.ibsn end }, --> unknown-field
  found     = { reset = function(_, a) return a.isbn end },
  not_found = { reset = function(_, a) return a.isbn end },
}

local lent_once = 0

local function loans(s, id)
  return table.count(s.books, function(one) return one.holder == id end) --> swapped-parameters
end

local function owes(reader, most) return reader.fees >= most end

local function may_borrow(s, id, most)
  local reader = s.members[id]
  if not reader then return false, "there is no member " .. id end
  if reader.fees then return false, reader.name .. " owes " .. reader.fees .. " cents" end --> constant-answer
  if owes(reader) then return false, "pay first" end --> wrong-kind
  return loans(s, id) < most, "no more than " .. most .. " books at a time"
end

function gate.enrol(s, a) return s.members[a.id] == nil, "the number is taken" end
function gate.leave(s, a) return "give the books back first", loans(s, a.id) == 0 end --> constant-answer
function gate.buy(s, a) return random(10) > 1 and s.books[a.isbn] == nil, "we have it" end --> misplaced-word
function gate.lend(s, a) return may_borrow(s, a.memeber, s.members[a.member] and s.members[a.member].kind == "Child" and 5 or 10) end --> unknown-field, unknown-value
function gate.pay(s, a) return s.members[a.member] and "that is too much" or a.cents < 5 end --> constant-answer

gate("members only", { "reserve", "collect" }, function(s, a)
  return s.members[a.membr] ~= nil, "there is no such member" --> unknown-field
end)

function reduce.enrol(s, a) s.members[a.id] = { mail = a.mail, kind = a.kind } end --> unknown-value, wider-value
function reduce.leave(s, a)
  lent_once = lent_once + 1 --> changed-local
  print(a.name .. " leaves") --> unknown-field
  s.members[a.id] = nil
end

function reduce.found(s, a)
  s.books[a.isbn] = { title = a.title, authors = a.authors, year = a.year }
end

function reduce.not_found(s, a)
  table.insert(s.catalogue_errors, 1, { isbn = a.isbn, eror = a.error }) --> unknown-field, unknown-value
  if #s.catalogue_errors > 20 then s.catalogue_errors[0] = nil end --> unknown-field
end

local function hand_out(s, a, days)
  local one = s.books[a.book] --> unknown-field
  one.holder, one.due = a.member, date(now() + days * DAY) --> unknown-value
end

function reduce.lend(s, a)
  if not gatekeeper.catalogue:may_pass(a.isbn) then return end --> misplaced-word
  hand_out(s, a, a.days)
end

function reduce.collect(s, a)
  table.remove(s.books[a.isbn].waiting, 1)
  hand_out(s, a, 28)
  s.books[a.isbn].copy = "lent" --> refused-write
end

function reduce.give_back(s, a)
  local one = s.books[a.isbn]
  local reader = s.members[one.holder]
  if reader and one.due and one.due < now then --> wrong-kind
    local late = math.ceil((now() - one.due) / DAYS) --> unknown-global
    reader.fees = reader.fees + late * FEE[reader.kin] --> unknown-field
  end
  one.holder, one.due = nil, "never" --> unknown-value
  returned = s.returned + 1 --> refused-write
end

function reduce.reserve(s, a) table.insert(s.books[a.isbn].waiting, a) end --> unknown-value
function reduce.pay(s, a)
  sleep(1) --> misplaced-word
  s.members[a.member].fees = s.members[a.member].fee - a.cents --> unknown-field
end
function reduce.write_off(s, a) s = { books = {}, members = s.members } end --> replaced-state

effect.buy = {
  run = function(self, a)
    local answer = self:look_up(a.isbn)
    return { isbn = a.isbn, titel = answer.title, authors = answer.authors, year = answer.year } --> wrong-payload
  end,
  on_done = "found", on_error = "not_found",
}

function effect.remind(self, a)
  local holder, title = view.holder(a.isbn), view.tilte(a.isbn) --> unknown-name
  if holder then self.send_mail(holder, "Please bring back " .. title) end --> dot-for-colon
  dispatch.pay { member = holder, cents = 0 } --> wrong-payload
  after("7 days", "remind", { isbn = a.isbn }) --> unknown-value
  return { isbn = a.isbn } --> lost-result
end

effect("journal", { "write_off", "leave" }, function(_, a, commit)
  print(commit.actoin, a.member) --> unknown-field
  print("because " .. a.reason) --> untested-optional
end)

function view.holder(s, number) return s.books[number] and s.books[number].holder end
function view.title(s, number) return s.books[number] and s.books[number].title end
function view.lent(s) local count = count_in(s, "copy.lend") + #s.books end --> missing-return, unknown-value, wrong-kind, unused-local
function view.at(s) return s.returned + now() end --> misplaced-word
function view.owed(s)
  local sum = 0
  for _, one in ipairs(s.members) do sum = sum + one.fees end --> wrong-kind
  for one in pairs(s.members) do sum = sum + one.fees end --> unknown-field
  return sum
end

function invariant.known_holders(s)
  for _, one in pairs(s.books) do
    if one.holder and not s.members[one.holder] then return false, one.title .. " is with a stranger" end
  end
  return true
end
