-- One end of the connection: its record, but for the field of its machine, and the steps that its
-- events share.
local sequence = require "sequence"
local segment  = require "segment"

local peer = {}

function peer.new(isn)
  return {
    passive = false,   -- opened by a passive OPEN: a failed handshake leads back to LISTEN
    isn     = isn,     -- what the clock for initial sequence numbers shows (3.4.1)
    iss     = none,    -- the number of our SYN
    snd_una = none,    -- the oldest number that is not acknowledged
    snd_nxt = none,    -- the number to send next
    irs     = none,    -- the number of their SYN
    rcv_nxt = none,    -- the number to receive next
    rcv_wnd = 1000,    -- how many numbers from there on may come
    sent    = none,    -- the segment that the last event here sent
    signal  = none,    -- what the user was told last
  }
end

function peer.emit(p, g)
  p.sent = segment.text(g)
end

-- <SEQ=SND.NXT><ACK=RCV.NXT><CTL=ACK>
function peer.ack(p)
  return { seq = p.snd_nxt, ack = p.rcv_nxt }
end

-- Sends the next octets of our text, or our FIN.
function peer.transmit(p, what)
  local g = { seq = p.snd_nxt, ack = p.rcv_nxt, data = what.data, fin = what.fin }
  peer.emit(p, g)
  p.snd_nxt = sequence.add(p.snd_nxt, segment.length(g))
end

-- Chooses our initial number.
function peer.select_iss(p)
  p.iss, p.snd_una, p.snd_nxt = p.isn, p.isn, sequence.add(p.isn, 1)
end

-- Sends our SYN: with an ACK where theirs has come before.
function peer.synchronize(p)
  peer.emit(p, { seq = p.iss, ack = p.rcv_nxt, syn = true })
end

-- How many numbers are sent, and not yet acknowledged.
function peer.in_flight(p)
  return p.snd_nxt and sequence.distance(p.snd_una, p.snd_nxt) or 0
end

-- Deletes the TCB: the connection is gone, with all its numbers.
function peer.forget(p)
  p.iss, p.snd_una, p.snd_nxt, p.irs, p.rcv_nxt = nil
end

return peer
