-- A TCP connection as RFC 9293 specifies it, both of its ends: the peers a and b.
--
-- An action is an event at one of them: a call of its user, the arrival of a segment, a timeout.
-- The segment that it sends stands in `sent`; who plays the network delivers it, late, or never.
-- A segment that the RFC drops is refused; the reply that it is due is part of the reason.
local peer = require "peer"

state { ends = { a = peer.new(100), b = peer.new(300) } }   -- initial numbers as in the figures

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

local arrival = require "arrival"   -- the gates of segments, and what a segment is and does

-- ------------------------------------------------------------------ Calls (3.10.1 to 3.10.5)

local missing = { refuse = "error: connection does not exist" }
local exists  = { refuse = "error: connection already exists" }
local late    = { refuse = "error: connection closing" }
local no_room = { refuse = "error: insufficient resources" }

local function passively(_, _, p)
  p.passive, p.signal = true, nil
end

local function actively(_, _, p)
  p.passive, p.signal = false, nil
  peer.select_iss(p)
  peer.synchronize(p)
end

local function without_data(_, a)
  return a.data == 0
end

local function snd_data(_, a, p)
  peer.transmit(p, { data = a.data })
end

local function snd_fin(_, _, p)
  peer.transmit(p, { fin = true })
end

local function snd_rst(_, _, p)
  peer.emit(p, { seq = p.snd_nxt, rst = true })
end

-- Deletes the TCB.
local function forget(_, _, p)
  peer.forget(p)
end

-- ------------------------------------------------------------------ The state diagram (figure 5)

machine.tcp {
  each = "ends", which = "at", field = "state",

  initial = "CLOSED",
  CLOSED = {
    on_enter     = forget,
    passive_open = { to = "opening.LISTEN", reduce = passively },
    active_open  = { to = "opening.SYN-SENT", reduce = actively },
    send = missing, close = missing, abort = missing,
    segment      = { when = arrival.has_a_connection },
  },

  opening = {   -- the handshake
    initial = "LISTEN",
    send    = no_room,   -- there is no queue in which data could wait for the handshake
    close   = "CLOSED",
    LISTEN = {
      on_enter    = forget,
      active_open = { to = "SYN-SENT", reduce = actively },
      send        = { { to = "SYN-SENT", when = without_data, reduce = actively }, no_room },
      segment     = {
        to = "SYN-RECEIVED", when = arrival.is_first_syn, reduce = arrival.rcv_first_syn,
      },
    },
    ["SYN-SENT"] = {
      segment = {
        { to = "CLOSED", when = arrival.is_rst_of_syn,
          reduce = arrival.tell "error: connection reset" },
        { to = "open.ESTABLISHED", when = arrival.is_syn_ack, reduce = arrival.rcv_syn_ack },
        { to = "SYN-RECEIVED", when = arrival.is_syn, reduce = arrival.rcv_syn },
      },
    },
    ["SYN-RECEIVED"] = {
      close   = { to = "open.FIN-WAIT-1", reduce = snd_fin },
      abort   = { to = "CLOSED", reduce = snd_rst },
      segment = {
        { to = "LISTEN", when = arrival.ends_passive_open },   -- the user need not know
        { to = "CLOSED", when = arrival.is_rst,
          reduce = arrival.tell "error: connection refused" },
        { to = "open.CLOSE-WAIT", when = arrival.is_fin, reduce = arrival.rcv },
        { to = "open.ESTABLISHED", reduce = arrival.rcv },
      },
    },
  },

  open = {   -- in one direction at least
    initial = "ESTABLISHED",
    abort   = { to = "CLOSED", reduce = snd_rst },
    segment = {
      { to = "CLOSED", when = arrival.is_rst, reduce = arrival.tell "error: connection reset" },
      { reduce = arrival.rcv },
    },
    ESTABLISHED = {
      send    = { reduce = snd_data },
      close   = { to = "FIN-WAIT-1", reduce = snd_fin },
      segment = { to = "CLOSE-WAIT", when = arrival.is_fin, reduce = arrival.rcv },
    },
    ["FIN-WAIT-1"] = {
      segment = {
        { to = "closing.TIME-WAIT", when = arrival.is_fin_and_ack_of_fin, reduce = arrival.rcv },
        { to = "closing.CLOSING", when = arrival.is_fin, reduce = arrival.rcv },
        { to = "FIN-WAIT-2", when = arrival.is_ack_of_fin, reduce = arrival.rcv },
      },
    },
    ["FIN-WAIT-2"] = {
      segment = { to = "closing.TIME-WAIT", when = arrival.is_fin, reduce = arrival.rcv },
    },
    ["CLOSE-WAIT"] = {
      send    = { reduce = snd_data },
      close   = { to = "closing.LAST-ACK", reduce = snd_fin },
      segment = { when = arrival.is_no_rst, reduce = arrival.rcv_ack },   -- no more text
    },
  },

  closing = {   -- in both directions
    initial = "CLOSING",
    segment = { { to = "CLOSED", when = arrival.is_rst }, { reduce = arrival.rcv_ack } },
    CLOSING = {
      segment = { to = "TIME-WAIT", when = arrival.is_ack_of_fin, reduce = arrival.rcv_ack },
    },
    ["LAST-ACK"] = {
      segment = { to = "CLOSED", when = arrival.is_ack_of_fin },
    },
    ["TIME-WAIT"] = {
      after = { time_wait_timeout = "4m" },   -- 2 MSL
      time_wait_timeout = "CLOSED",
    },
  },

  -- In all other states.
  passive_open = exists, active_open = exists,
  send = late, close = late,
  abort = "CLOSED",
  time_wait_timeout = { refuse = "only TIME-WAIT waits for 2 MSL" },
}

-- Each event begins with nothing sent; the ways above do the rest.
for _, event in ipairs {
  "passive_open", "active_open", "send", "close", "abort", "segment", "time_wait_timeout",
} do
  reduce[event] = function(s, a) s.ends[a.at].sent = nil end
end

function reduce.clock(s, a)
  s.ends[a.at].isn = a.isn
end

-- ------------------------------------------------------------------ What can be seen, what holds

-- The STATUS call (3.10.6): the state by the name that the RFC has for it.
local function status(p)
  return p.state:match "[^.]+$"
end

function view.status(s)
  return { a = status(s.ends.a), b = status(s.ends.b) }
end

-- How many numbers each end has sent without an acknowledgment.
function view.in_flight(s)
  return { a = peer.in_flight(s.ends.a), b = peer.in_flight(s.ends.b) }
end

function invariant.only_what_was_sent_is_acknowledged(s)
  return peer.in_flight(s.ends.a) >= 0 and peer.in_flight(s.ends.b) >= 0
end

-- A closed or listening end knows no numbers, every other end knows its own.
function invariant.numbers_live_with_their_connection(s)
  for name, p in pairs(s.ends) do
    local connected = status(p) ~= "CLOSED" and status(p) ~= "LISTEN"
    if connected ~= (p.snd_nxt ~= nil) then
      return false, ("peer %s is %s, SND.NXT is %s"):format(name, p.state, p.snd_nxt)
    end
  end
  return true
end
