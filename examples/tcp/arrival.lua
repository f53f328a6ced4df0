-- SEGMENT ARRIVES (RFC 9293, 3.10.7): what the machine of an end asks of a segment, and what the
-- segment does there. The gates are the checks in the RFC's order. What the machine or a gate
-- refuses is dropped and changes nothing.
local sequence = require "sequence"
local segment  = require "segment"
local peer     = require "peer"
local add, distance, less = sequence.add, sequence.distance, sequence.less

local arrival = {}

-- ------------------------------------------------------------------ Checks

local function drop(why, reply)
  return false, reply and ("%s; reply %s"):format(why, segment.text(reply)) or why
end

-- The reset that the sender of this segment will believe.
local function reset(g)
  if g.ack then
    return { seq = g.ack, rst = true }
  end
  return { seq = 0, ack = add(g.seq, segment.length(g)), rst = true }
end

-- SND.UNA < SEG.ACK =< SND.NXT
local function acknowledges_something_new(p, g)
  return less(p.snd_una, g.ack) and not less(p.snd_nxt, g.ack)
end

local function in_syn_received(p)
  return p.state == "opening.SYN-RECEIVED"
end

-- In a simultaneous open the SYN,ACKs cross, and each repeats a SYN that has come before. It lies
-- just left of the window; figure 7 has it trimmed off and the ACK taken.
local function crossed(p, g)
  return in_syn_received(p) and g.syn and g.ack and g.seq == p.irs
end

local function in_window(p, number)
  return sequence.within(number, p.rcv_nxt, p.rcv_wnd)
end

-- Table 6: the four cases.
local function acceptable(p, g)
  local length = segment.length(g)
  if length == 0 and p.rcv_wnd == 0 then
    return g.seq == p.rcv_nxt
  end
  return in_window(p, g.seq) or length > 0 and in_window(p, add(g.seq, length - 1))
end

-- CLOSED, LISTEN and SYN-SENT ask for themselves (below). Who has their SYN has a window, too.
local function where_a_syn_has_come(rule)
  return function(s, g)
    local p = s.ends[g.at]
    if not p.rcv_nxt then
      return true
    end
    return rule(p, g)
  end
end

gate("sequence number", { "segment" }, where_a_syn_has_come(function(p, g)
  if acceptable(p, g) or crossed(p, g) then
    return true
  end
  local why = ("SEQ=%d, length %d is not acceptable: RCV.NXT=%d, RCV.WND=%d")
    :format(g.seq, segment.length(g), p.rcv_nxt, p.rcv_wnd)
  return drop(why, not g.rst and peer.ack(p))
end))

-- RFC 5961: a reset, or a SYN, that somebody guessed is challenged instead of believed.
gate("RST bit", { "segment" }, where_a_syn_has_come(function(p, g)
  if g.rst and g.seq ~= p.rcv_nxt then
    return drop("a reset must begin at RCV.NXT", peer.ack(p))
  end
  return true
end))

gate("SYN bit", { "segment" }, where_a_syn_has_come(function(p, g)
  if not g.syn or g.rst or crossed(p, g) or in_syn_received(p) and p.passive then
    return true
  end
  return drop("SYN on a synchronized connection", peer.ack(p))
end))

-- A reset, or in a passively opened SYN-RECEIVED another SYN: nothing else of it matters.
local function ends_it(p, g)
  return g.rst or g.syn and not crossed(p, g)
end

gate("ACK field", { "segment" }, where_a_syn_has_come(function(p, g)
  if ends_it(p, g) then
    return true
  elseif not g.ack then
    return drop("the ACK bit is off")
  elseif in_syn_received(p) and not acknowledges_something_new(p, g) then
    return drop("ACK does not acknowledge our SYN", reset(g))
  elseif less(p.snd_nxt, g.ack) then
    return drop("ACK acknowledges something not yet sent", peer.ack(p))
  end
  return true
end))

-- The RFC would hold such a segment for later; here it has to come again.
gate("order", { "segment" }, where_a_syn_has_come(function(p, g)
  if not ends_it(p, g) and less(p.rcv_nxt, g.seq) then
    return drop(("SEQ=%d comes before its turn"):format(g.seq), peer.ack(p))
  end
  return true
end))

-- ------------------------------------------------------------------ What a segment is

-- In CLOSED: no segment has one.
function arrival.has_a_connection(_, g)
  if g.rst then
    return drop("there is no connection to reset")
  end
  return drop("there is no connection", reset(g))
end

-- In LISTEN.
function arrival.is_first_syn(_, g)
  if g.rst then
    return drop("a listener has sent nothing to reset")
  elseif g.ack then
    return drop("a listener has sent nothing to acknowledge", reset(g))
  end
  return g.syn, "neither RST nor ACK nor SYN"
end

-- In SYN-SENT these three in turn; what none of them wants is dropped for the last one's reason.
function arrival.is_rst_of_syn(_, g, p)
  return g.rst and g.ack and acknowledges_something_new(p, g)
end

function arrival.is_syn_ack(_, g, p)
  return g.syn and g.ack and acknowledges_something_new(p, g)
end

function arrival.is_syn(_, g, p)
  if g.ack and not acknowledges_something_new(p, g) then
    return drop("ACK does not acknowledge our SYN", not g.rst and reset(g))
  elseif g.rst then
    return drop("the reset does not acknowledge our SYN")
  end
  return g.syn, "neither SYN nor RST"
end

function arrival.ends_passive_open(_, g, p)
  return p.passive and ends_it(p, g)
end

function arrival.is_rst(_, g)
  return g.rst
end

function arrival.is_no_rst(_, g)
  return not g.rst
end

-- What is new of the text and fits the window, and the FIN if nothing is left before it.
local function new_text(p, g)
  local first = g.syn and add(g.seq, 1) or g.seq
  local old   = distance(first, p.rcv_nxt)
  local text  = math.min(g.data - old, p.rcv_wnd)
  return text, g.fin and old + text == g.data and text < p.rcv_wnd
end

function arrival.is_fin(_, g, p)
  local _, fin = new_text(p, g)
  return fin and not g.rst
end

function arrival.is_ack_of_fin(_, g, p)
  return g.ack == p.snd_nxt and not g.rst
end

function arrival.is_fin_and_ack_of_fin(s, g, p)
  return arrival.is_fin(s, g, p) and arrival.is_ack_of_fin(s, g, p)
end

-- ------------------------------------------------------------------ What a segment does

-- Their SYN may carry text and FIN; we take neither yet, so they will be sent again.
local function take_syn(p, g)
  p.irs, p.rcv_nxt = g.seq, add(g.seq, 1)
end

function arrival.rcv_syn(_, g, p)   -- where ours is sent: both have opened at once
  take_syn(p, g)
  peer.synchronize(p)
end

function arrival.rcv_first_syn(s, g, p)
  peer.select_iss(p)
  arrival.rcv_syn(s, g, p)
end

function arrival.rcv_syn_ack(_, g, p)
  take_syn(p, g)
  p.snd_una = g.ack
  peer.emit(p, peer.ack(p))
end

function arrival.rcv_ack(_, g, p)
  if less(p.snd_una, g.ack) then
    p.snd_una = g.ack
  end
end

function arrival.rcv(s, g, p)
  arrival.rcv_ack(s, g, p)
  local text, fin = new_text(p, g)
  if text == 0 and not fin then
    return
  end
  p.rcv_nxt = add(p.rcv_nxt, text + (fin and 1 or 0))
  if fin then
    p.signal = "connection closing"
  end
  peer.emit(p, peer.ack(p))
end

-- What the user is told.
function arrival.tell(signal)
  return function(_, _, p)
    p.signal = signal
  end
end

return arrival
