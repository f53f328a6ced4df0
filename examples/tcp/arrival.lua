-- SEGMENT ARRIVES (RFC 9293, 3.10.7). The gates are the checks in the RFC's order: what does not
-- get through them is dropped and changes nothing. The reducer does what remains.
local sequence = require "sequence"
local segment  = require "segment"
local peer     = require "peer"
local add, distance, less = sequence.add, sequence.distance, sequence.less

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

-- In a simultaneous open the SYN,ACKs cross, and each repeats a SYN that has come before. It lies
-- just left of the window; figure 7 has it trimmed off and the ACK taken.
local function crossed(p, g)
  return p.state == "SYN-RECEIVED" and g.syn and g.ack and g.seq == p.irs
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

-- The RFC has a section for each of three states, and one for all others.
local function in_state(state, rule)
  return function(s, g)
    local p = s[g.at]
    if p.state ~= state then
      return true
    end
    return rule(p, g)
  end
end

local has_its_section = { ["CLOSED"] = true, ["LISTEN"] = true, ["SYN-SENT"] = true }

local function in_other_states(rule)
  return function(s, g)
    local p = s[g.at]
    if has_its_section[p.state] then
      return true
    end
    return rule(p, g)
  end
end

gate("CLOSED", { "segment" }, in_state("CLOSED", function(_, g)
  if g.rst then
    return drop("there is no connection to reset")
  end
  return drop("there is no connection", reset(g))
end))

gate("LISTEN", { "segment" }, in_state("LISTEN", function(_, g)
  if g.rst then
    return drop("a listener has sent nothing to reset")
  elseif g.ack then
    return drop("a listener has sent nothing to acknowledge", reset(g))
  end
  return g.syn, "neither RST nor ACK nor SYN"
end))

gate("SYN-SENT", { "segment" }, in_state("SYN-SENT", function(p, g)
  if g.ack and not acknowledges_something_new(p, g) then
    return drop("ACK does not acknowledge our SYN", not g.rst and reset(g))
  elseif g.rst then
    return g.ack ~= nil, "the reset does not acknowledge our SYN"
  end
  return g.syn, "neither SYN nor RST"
end))

gate("sequence number", { "segment" }, in_other_states(function(p, g)
  if acceptable(p, g) or crossed(p, g) then
    return true
  end
  local why = ("SEQ=%d, length %d is not acceptable: RCV.NXT=%d, RCV.WND=%d")
    :format(g.seq, segment.length(g), p.rcv_nxt, p.rcv_wnd)
  return drop(why, not g.rst and peer.ack(p))
end))

-- RFC 5961: a reset, or a SYN, that somebody guessed is challenged instead of believed.
gate("RST bit", { "segment" }, in_other_states(function(p, g)
  if g.rst and g.seq ~= p.rcv_nxt then
    return drop("a reset must begin at RCV.NXT", peer.ack(p))
  end
  return true
end))

gate("SYN bit", { "segment" }, in_other_states(function(p, g)
  if not g.syn or g.rst or crossed(p, g) or p.state == "SYN-RECEIVED" and p.passive then
    return true
  end
  return drop("SYN on a synchronized connection", peer.ack(p))
end))

-- A reset, or in a passively opened SYN-RECEIVED another SYN: nothing else of it matters.
local function ends_it(p, g)
  return g.rst or g.syn and not crossed(p, g)
end

gate("ACK field", { "segment" }, in_other_states(function(p, g)
  if ends_it(p, g) then
    return true
  elseif not g.ack then
    return drop("the ACK bit is off")
  elseif p.state == "SYN-RECEIVED" and not acknowledges_something_new(p, g) then
    return drop("ACK does not acknowledge our SYN", reset(g))
  elseif less(p.snd_nxt, g.ack) then
    return drop("ACK acknowledges something not yet sent", peer.ack(p))
  end
  return true
end))

-- The RFC would hold such a segment for later; here it has to come again.
gate("order", { "segment" }, in_other_states(function(p, g)
  if not ends_it(p, g) and less(p.rcv_nxt, g.seq) then
    return drop(("SEQ=%d comes before its turn"):format(g.seq), peer.ack(p))
  end
  return true
end))

-- ------------------------------------------------------------------ What remains

-- Their SYN may carry text and FIN; we take neither yet, so they will be sent again.
local function take_syn(p, g)
  p.irs, p.rcv_nxt = g.seq, add(g.seq, 1)
end

local function listen(p, g)
  take_syn(p, g)
  peer.select_iss(p)
  peer.synchronize(p, "SYN-RECEIVED")
end

local function syn_sent(p, g)
  if g.rst then
    p.signal = "error: connection reset"
    return peer.forget(p, "CLOSED")
  end
  take_syn(p, g)
  if g.ack then
    p.state, p.snd_una = "ESTABLISHED", g.ack
    peer.emit(p, peer.ack(p))
  else
    peer.synchronize(p, "SYN-RECEIVED")   -- both have opened at once
  end
end

local told_of_reset = {
  ["SYN-RECEIVED"] = "error: connection refused",
  ["ESTABLISHED"]  = "error: connection reset",
  ["FIN-WAIT-1"]   = "error: connection reset",
  ["FIN-WAIT-2"]   = "error: connection reset",
  ["CLOSE-WAIT"]   = "error: connection reset",
}

local function end_it(p)
  if p.state == "SYN-RECEIVED" and p.passive then
    return peer.forget(p, "LISTEN")   -- the user need not know
  end
  p.signal = told_of_reset[p.state] or p.signal
  peer.forget(p, "CLOSED")
end

local fin_is_acknowledged = {
  ["FIN-WAIT-1"] = "FIN-WAIT-2", ["CLOSING"] = "TIME-WAIT", ["LAST-ACK"] = "CLOSED",
}

local function take_ack(p, g)
  if less(p.snd_una, g.ack) then
    p.snd_una = g.ack
  end
  if p.state == "SYN-RECEIVED" then
    p.state = "ESTABLISHED"
  elseif p.snd_una == p.snd_nxt then
    p.state = fin_is_acknowledged[p.state] or p.state
  end
end

local fin_is_received = {
  ["ESTABLISHED"] = "CLOSE-WAIT", ["FIN-WAIT-1"] = "CLOSING", ["FIN-WAIT-2"] = "TIME-WAIT",
}

-- Takes what is new of the text and fits the window, and the FIN if nothing is left before it.
local function take_text(p, g)
  local first = g.syn and add(g.seq, 1) or g.seq
  local old   = distance(first, p.rcv_nxt)
  local text  = math.min(g.data - old, p.rcv_wnd)
  local fin   = g.fin and old + text == g.data and text < p.rcv_wnd
  if text == 0 and not fin then
    return
  end
  p.rcv_nxt = add(p.rcv_nxt, text + (fin and 1 or 0))
  if fin then
    p.state, p.signal = fin_is_received[p.state], "connection closing"
  end
  peer.emit(p, peer.ack(p))
end

local function connected(p, g)
  if ends_it(p, g) then
    return end_it(p)
  end
  take_ack(p, g)
  if p.state == "CLOSED" then
    peer.forget(p, "CLOSED")
  elseif fin_is_received[p.state] then   -- elsewhere their FIN has come: there is no more text
    take_text(p, g)
  end
end

function reduce.segment(s, g)
  local p = s[g.at]
  p.sent = nil
  if p.state == "LISTEN" then
    listen(p, g)
  elseif p.state == "SYN-SENT" then
    syn_sent(p, g)
  else
    connected(p, g)
  end
end
