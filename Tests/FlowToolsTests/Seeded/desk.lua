-- A support desk: scopes, options of gatekeepers, functions in variables, states' functions.
local ticket = {
  id = integer { min = 1 },
  who = string,
  priority = one_of { "low", "high", default = "low" },
  answers = list_of { { by = string, text = string, at = number { default = 0 } }, max_length = 20 },
  closed_at = optional(number),
}

state {
  tickets = map_of { ticket, key = integer { min = 1 } },
  order = list_of(integer),
  agent = none,
  next_id = 1,
  stats = { open = integer { min = 0, default = 0 }, solved = integer { min = 0, default = 0 } },
  mood = "calm",
}

action.log_in { name = string { min_length = 1 }, skills = list_of(string) }
action.log_out {}
action.create { who = string, priority = one_of { "low", "high" } }
action.answer { id = integer, text = string { max_length = 100 } }
action.solve { id = integer, rating = optional(integer { min = 1, max = 5 }) }
action.escalate { id = integer }
action.sweep {}
internal.mailed { id = integer, ok = boolean }
internal.bounced { error = string, id = integer } --> idle-action

machine.desk {
  initial = "closed",
  closed = { log_in = "staffed" },
  staffed = {
    create = true, answer = true, solve = true, sweep = true,
    escalate = { to = "busy", when = function(s, a) return s.tickets[a.idd] ~= nil, "which?" end }, --> unknown-field
    log_out = "closed",
    on_enter = function(s, a) s.mood = "calm" s.stats.opne = 0 end, --> unknown-field
    on_exit = function(s) s.desk = "closed" end, --> refused-write
  },
  busy = {
    answer = "staffed", create = true, solve = true, log_out = "closed",
    sweep = { refuse = "busy" },
    after = { { 600, { to = "staffed", reduce = function(s) s.stats.open = s.stats.open / 2 end } } }, --> unknown-value
  },
}

gatekeeper.line {
  create = { attempt = "phone" },
  solve = { reset = "phone" },
}

scope.agent {
  key = function(s) return s.agnet and s.agent.name end, --> unknown-field
  actions = { "answer", "solve" },
  make = { sign = function(self) return "-- " .. self.key end },
}

local function is_open(one)
  return one.closed_on == nil --> unknown-field
end

local newest = function(s)
  local best
  for id, one in pairs(s.tickets) do
    if is_open(one) and (best == nil or id > best) then best = id end
  end
  return best
end

local function log(s, one, text, by)
  table.insert(one.answers, { by = by, txt = text }) --> unknown-field, unknown-value
  s.stats.open = s.stats.open - 1
end

local weights = { low = 1, high = 2 }

local function weight(one) return weights[one.priorty] or 0 end --> unknown-field

local function notify(text)
  dispatch.sweep() --> misplaced-word
  print(text)
end

function gate.create(s, a)
  if not gatekeeper.line:may_pas("phone") then return false, "engaged" end --> unknown-field
  if #a.who == 0 then return false, "who?" end
  if a.priority == "urgent" then return false, "no" end --> unknown-value
  return s.stats.open < "100", "too many" --> unknown-value
end

function gate.answer(s, a)
  local one = s.tickets[a.id]
  if one == nil then return false, "no such ticket" end
  if one.priority ~= "hihg" then return true end --> unknown-value
  if one.answers.count > 20 then return false, "enough" end --> unknown-field
  one.priority = "high" --> refused-write
  return is_open(one), "it is solved"
end

function gate.solve(s, a)
  local one = s.tickets[a.id]
  return one and is_open(one) and a.rating > 0 --> untested-optional
end

function gate.escalate(s, a) return weight(s.tickets[a.id]) > 1 or "not that bad" end --> constant-answer

function reduce.log_in(s, a)
  s.agent = { name = a.name, skills = #a.skils } --> unknown-field
  for i, skill in pairs(a.skills) do
    if skill == 5 then s.mood = "angry" end --> unknown-value
    print(i)
  end
  if s.mood == "happy" then s.mood = "calm" end --> unknown-value
end

function reduce.create(s, a)
  local id = s.next_id
  s.next_id = id + 1
  s.tickets[id] = { id = id, who = a.who, priority = a.priority, answer = {} } --> unknown-field
  table.insert(s.order, "id") --> unknown-value
  s.stats = { open = s.stats.open + 1, solved = s.stats.solved, failed = 0 } --> unknown-field
  notify("created")
  local one = s.tickets[id]
  one.answers[#one.answers + 1] = { by = a.who, text = 5 } --> unknown-value
  one.who = one.id .. one --> wrong-kind
end

function reduce.answer(s, a)
  local one = s.tickets[a.id]
  log(s, one, a.text, a.by) --> unknown-field
  s.order = s.order + 1 --> wrong-kind, unknown-value
  for _, id in s.order do print(id) end --> wrong-kind
  one.answers = nil --> unknown-value
  one.priority = one.priority == "low" and "hgh" or "low" --> unknown-value
end

function reduce.solve(s, a)
  local one = s.tickets[a.id]
  one.closed_at = now --> wrong-kind
  s.stats.solved = s.stats.solved + one.answers --> wrong-kind
end

function reduce.sweep(s)
  local id = newest(s)
  while id do
    local one = s.tickets[id]
    if one.closed_at and one.closed_at < now() - 3600 then s.tickets[id] = none end
    id = newst(s) --> unknown-global
  end
  table.sort(s.order, function(x, y) return weight(s.tickets[x]) > weight(s.tickets[y]) and s.neworder end) --> unknown-field
  local all = table.concatenate({ "a" }) --> unknown-global, unused-local
  local count = 0 --> unused-local
  for _ in pairs(s.tickets) do cuont = 1 end --> refused-write
end

function reduce.mailed(s, a)
  if a.ok == "true" then s.mood = "calm" end --> unknown-value
  s.stats.solved = math.floor(s.stats.solved, 2) + a.ids --> swapped-parameters, unknown-field
end

effect.answer = {
  run = function(self, a)
    local text = self:sgin() .. a.text
    for i = 1, 3 do
      sleep("soon") --> unknown-value
      self.mail(text, i) --> dot-for-colon
    end
    local waiting = view.waiting()
    if waiting.high > 3 and waiting.hihg > 2 then return { id = a.id, ok = true } end --> unknown-field
    dispatch.mailed { id = a.id, ok = "yes" } --> wrong-payload
    dispatch.mailed { id = a.id, okay = true } --> wrong-payload
    dispatch.maild { id = a.id, ok = true } --> unknown-name
    return { id = a.id, ok = false }
  end,
  on_done = "mailed",
  on_error = "bounced",
}

function effect.create(self, a)
  after(60, "sweeep") --> unknown-name
  after(60, "answer", { id = "1", text = "" }) --> wrong-payload
  self:ring(a.woh) --> unknown-field
  if may:sweep() then dispatch.sweep() end --> dot-for-colon
end

function view.waiting(s)
  local high, low = 0, 0
  for _, one in pairs(s.tickets) do
    if one.priority == "high" then high = high + 1 elseif one.priority == "lwo" then low = low + 1 end --> unknown-value
  end
  return { high = high, low = low, of = s.stats.total } --> unknown-field
end

function view.agent(s) return s.agent and s.agent.name end

function view.rank(s) --> missing-return
  for _, id in ipairs(s.order) do
    print(id)
  end
end

function invariant.counted(s) --> missing-return
  local n = 0
  for _, one in pairs(s.tickets) do
    if is_open(one) then n = n + 1 end
  end
  if n ~= s.stats.opened then return false, "miscounted" end --> unknown-field, fault
end
