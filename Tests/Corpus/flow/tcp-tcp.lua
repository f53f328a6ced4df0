-- A TCP connection as RFC 9293 specifies it, both of its ends: the peers a and b.
--
-- An action is an event at one of them: a call of its user, the arrival of a segment, a timeout.
-- The segment that it sends stands in `sent`; who plays the network delivers it, late, or never.
-- A segment that the RFC drops is refused; the reply that it is due is part of the reason.
local peer = require "peer"

state { a = peer.new(100), b = peer.new(300) }   -- initial numbers as in the RFC's figures

local at       = one_of { "a", "b" }
local number32 = integer { min = 0, max = 0xFFFFFFFF }
local octets   = integer { min = 0, max = 0xFFFF, default = 0 }
local bit      = boolean { default = false }

action.passive_open { at = at }
action.active_open { at = at }
action.send { at = at, data = octets }
action.close { at = at }
action.abort { at = at }

action.segment {
  at = at, seq = number32, data = octets,
  ack = optional(number32),   -- the ACK bit is on when there is a number
  syn = bit, fin = bit, rst = bit,
}

action.time_wait_timeout { at = at }
action.clock { at = at, isn = number32 }

require "arrival"   -- the gates and the reducer of segments

-- ------------------------------------------------------------------ OPEN (3.10.1)

function gate.passive_open(s, a)
  return s[a.at].state == "CLOSED", "error: connection already exists"
end

-- A listener may become active.
function gate.active_open(s, a)
  local state = s[a.at].state
  return state == "CLOSED" or state == "LISTEN", "error: connection already exists"
end

function reduce.passive_open(s, a)
  local p = s[a.at]
  p.state, p.passive, p.sent, p.signal = "LISTEN", true, nil, nil
end

local function open_actively(p)
  p.passive, p.signal = false, nil
  peer.select_iss(p)
  peer.synchronize(p, "SYN-SENT")
end

function reduce.active_open(s, a)
  open_actively(s[a.at])
end

-- ------------------------------------------------- SEND, CLOSE, ABORT (3.10.2, 3.10.4, 3.10.5)

local closing = {
  ["FIN-WAIT-1"] = true, ["FIN-WAIT-2"] = true, ["CLOSING"] = true, ["LAST-ACK"] = true,
  ["TIME-WAIT"] = true,
}

gate("exists", { "send", "close", "abort" }, function(s, a)
  return s[a.at].state ~= "CLOSED", "error: connection does not exist"
end)

gate("open", { "send", "close" }, function(s, a)
  return not closing[s[a.at].state], "error: connection closing"
end)

-- There is no queue here in which data could wait for the handshake.
function gate.send(s, a)
  local state = s[a.at].state
  if state == "LISTEN" then
    return a.data == 0, "error: insufficient resources"
  end
  return state == "ESTABLISHED" or state == "CLOSE-WAIT", "error: insufficient resources"
end

function reduce.send(s, a)
  local p = s[a.at]
  if p.state == "LISTEN" then
    open_actively(p)
  else
    peer.transmit(p, { data = a.data })
  end
end

local sends_fin = {
  ["SYN-RECEIVED"] = "FIN-WAIT-1", ["ESTABLISHED"] = "FIN-WAIT-1", ["CLOSE-WAIT"] = "LAST-ACK",
}

function reduce.close(s, a)
  local p = s[a.at]
  local state = sends_fin[p.state]
  if state then
    p.state = state
    peer.transmit(p, { fin = true })
  else
    peer.forget(p, "CLOSED")
    p.sent = nil
  end
end

local sends_rst = {
  ["SYN-RECEIVED"] = true, ["ESTABLISHED"] = true, ["FIN-WAIT-1"] = true, ["FIN-WAIT-2"] = true,
  ["CLOSE-WAIT"] = true,
}

function reduce.abort(s, a)
  local p = s[a.at]
  p.sent = nil
  if sends_rst[p.state] then
    peer.emit(p, { seq = p.snd_nxt, rst = true })
  end
  peer.forget(p, "CLOSED")
end

-- ------------------------------------------------------------------ Time

function gate.time_wait_timeout(s, a)
  return s[a.at].state == "TIME-WAIT", "only TIME-WAIT waits for 2 MSL"
end

function reduce.time_wait_timeout(s, a)
  local p = s[a.at]
  p.sent = nil
  peer.forget(p, "CLOSED")
end

function reduce.clock(s, a)
  s[a.at].isn = a.isn
end

-- ------------------------------------------------------------------ What can be seen, what holds

-- The STATUS call (3.10.6).
function view.status(s)
  return { a = s.a.state, b = s.b.state }
end

-- How many numbers each end has sent without an acknowledgment.
function view.in_flight(s)
  return { a = peer.in_flight(s.a), b = peer.in_flight(s.b) }
end

function invariant.only_what_was_sent_is_acknowledged(s)
  return peer.in_flight(s.a) >= 0 and peer.in_flight(s.b) >= 0
end

-- A closed or listening end knows no numbers, every other end knows its own.
function invariant.numbers_live_with_their_connection(s)
  for name, p in pairs(s) do
    local connected = p.state ~= "CLOSED" and p.state ~= "LISTEN"
    if connected ~= (p.snd_nxt ~= nil) then
      return false, ("peer %s is %s, SND.NXT is %s"):format(name, p.state, p.snd_nxt)
    end
  end
  return true
end
