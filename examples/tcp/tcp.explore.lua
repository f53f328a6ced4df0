-- A network that delivers whatever it likes, in any order, as often as it likes: what was sent, what was not, and what
-- somebody has forged.
flow "tcp.lua"

-- Every combination of these as a segment that arrives at an end.
local function segments(at, numbers, acks)
  local all = {}
  for _, seq in ipairs(numbers) do
    for _, ack in ipairs(acks) do
      for bits = 0, 7 do
        all[#all + 1] = {
          at = at, seq = seq, ack = ack, data = 0,
          syn = bits & 1 ~= 0, fin = bits & 2 ~= 0, rst = bits & 4 ~= 0,
        }
      end
    end
  end
  return all
end

local function status(p) return p.state:match "[^.]+$" end

local synchronized = {
  ESTABLISHED = true, ["FIN-WAIT-1"] = true, ["FIN-WAIT-2"] = true, ["CLOSE-WAIT"] = true,
  CLOSING = true, ["LAST-ACK"] = true, ["TIME-WAIT"] = true,
}

local at_a = { at = { "a" } }

explore("one end, whatever arrives", {
  actions = {
    passive_open = at_a, active_open = at_a, close = at_a, abort = at_a, time_wait_timeout = at_a,
    send = { at = { "a" }, data = { 0 } }, clock = false,
    segment = segments("a", { 300, 301, 302 }, { none, 100, 101, 102 }),
  },
}, function()
  always("who is synchronized knows the other end's number", function(s)
    return not synchronized[status(s.ends.a)] or s.ends.a.rcv_nxt ~= nil
  end)
  -- CLOSE in SYN-RECEIVED leads to FIN-WAIT-1, before anybody has acknowledged the SYN.
  always("who is established has had its SYN acknowledged", function(s)
    local p = s.ends.a
    return status(p) ~= "ESTABLISHED" or p.snd_una > p.iss
  end)
  always("nothing is acknowledged that was not sent", function(s)
    local p = s.ends.a
    return p.snd_una == nil or p.snd_una <= p.snd_nxt
  end)
  step("a connection is opened by its user alone", function(before, after, action)
    return status(before.ends.a) ~= "CLOSED" or status(after.ends.a) == "CLOSED"
      or action.name == "passive_open" or action.name == "active_open"
  end)
  step("the other end is left alone", function(before, after)
    return after.ends.b.state == before.ends.b.state
  end)
  sometimes("closed by both", function(s) return status(s.ends.a) == "TIME-WAIT" end)
end)

-- What a and b send in figures 6, 7, 12 and 13, to whom it is sent.
local function figures()
  local all = {}
  local function add(at, seq, ack, bits)
    all[#all + 1] = {
      at = at, seq = seq, ack = ack, data = 0, syn = bits == "SYN", fin = bits == "FIN", rst = false,
    }
  end
  for _, ends in ipairs { { "b", 100, 300 }, { "a", 300, 100 } } do
    local to, mine, theirs = ends[1], ends[2], ends[3]
    add(to, mine, none, "SYN")
    add(to, mine, theirs + 1, "SYN")
    add(to, mine + 1, theirs + 1, "")
    add(to, mine + 1, theirs + 1, "FIN")
    add(to, mine + 1, theirs + 2, "FIN")
    add(to, mine + 1, theirs + 2, "")
    add(to, mine + 2, theirs + 2, "")
  end
  return all
end

local both = { at = { "a", "b" } }

explore("two ends, and what they send in the figures, at any time", {
  actions = {
    passive_open = both, active_open = both, close = both, abort = false,
    time_wait_timeout = both, send = false, clock = false, segment = figures(),
  },
}, function()
  always("ends that are established agree", function(s)
    local a, b = s.ends.a, s.ends.b
    return status(a) ~= "ESTABLISHED" or status(b) ~= "ESTABLISHED"
      or a.rcv_nxt == b.snd_nxt and b.rcv_nxt == a.snd_nxt
  end)
  sometimes("both are established", function(s)
    return status(s.ends.a) == "ESTABLISHED" and status(s.ends.b) == "ESTABLISHED"
  end)
  sometimes("both wait for the last segments of the other", function(s)
    return status(s.ends.a) == "TIME-WAIT" and status(s.ends.b) == "TIME-WAIT"
  end)
end)
