-- Segments that RFC 9293 drops (3.10.7), and what it answers. A dropped segment changes nothing.
flow "tcp.lua"

-- A has sent up to 100 and received up to 300; its window is 1000 wide.
local function given_established()
  given {
    ends = { a = { state = "open.ESTABLISHED", snd_una = 90, snd_nxt = 100, rcv_nxt = 300 } },
  }
end

scenario("a closed end answers with a reset that the sender believes", function()
  refuse.segment { at = "a", seq = 300, ack = 100, data = 10 }
    :by("machine tcp"):because("reply <SEQ=100><CTL=RST>")
  refuse.segment { at = "a", seq = 300, syn = true, data = 10 }
    :because("reply <SEQ=0><ACK=311><CTL=RST,ACK>")   -- SYN and ten octets
end)

scenario("a reset is never answered with a reset", function()
  refuse.segment { at = "a", seq = 300, rst = true }:because("there is no connection to reset")
  pass.passive_open { at = "a" }
  refuse.segment { at = "a", seq = 300, rst = true }:by("machine tcp")
  pass.active_open { at = "a" }
  refuse.segment { at = "a", seq = 300, rst = true }:by("machine tcp")
  refuse.segment { at = "a", seq = 300, ack = 90, rst = true }:by("machine tcp")
  expect.view.status { a = "SYN-SENT", b = "CLOSED" }
  pass.segment { at = "a", seq = 0, ack = 101, rst = true }
  expect { ends = { a = { state = "CLOSED", signal = "error: connection reset" } } }
end)

scenario("a listener wants a SYN, and nothing else", function()
  pass.passive_open { at = "a" }
  refuse.segment { at = "a", seq = 300, ack = 100 }:because("reply <SEQ=100><CTL=RST>")
  refuse.segment { at = "a", seq = 300, data = 10 }:because("neither RST nor ACK nor SYN")
end)

scenario("SYN-SENT wants an ACK of its SYN, or a SYN", function()
  pass.active_open { at = "a" }
  refuse.segment { at = "a", seq = 300, ack = 100, syn = true }
    :because("reply <SEQ=100><CTL=RST>")   -- our SYN is 100; its ACK is 101
  refuse.segment { at = "a", seq = 300, ack = 102, syn = true }
    :because("reply <SEQ=102><CTL=RST>")
  refuse.segment { at = "a", seq = 300, ack = 101 }:because("neither SYN nor RST")
  refuse.segment { at = "a", seq = 300, fin = true }:because("neither SYN nor RST")
end)

scenario("what lies outside the window is acknowledged once more", function()
  given_established()
  local reply = "reply <SEQ=100><ACK=300><CTL=ACK>"
  refuse.segment { at = "a", seq = 299, ack = 100 }:by("gate sequence number"):because(reply)
  refuse.segment { at = "a", seq = 290, ack = 100, data = 10 }:because(reply)   -- 290 to 299
  refuse.segment { at = "a", seq = 1300, ack = 100 }:because(reply)
  refuse.segment { at = "a", seq = 299, ack = 100, fin = true }
    :because("SEQ=299, length 1 is not acceptable: RCV.NXT=300, RCV.WND=1000"):because(reply)
  expect { ends = { a = { state = "open.ESTABLISHED", snd_una = 90, rcv_nxt = 300, sent = none } } }
end)

scenario("of what straddles the window only the new part is taken", function()
  given_established()
  pass.segment { at = "a", seq = 295, ack = 100, data = 10 }       -- 295 to 304
  expect.change {
    ends = { a = { snd_una = 100, rcv_nxt = 305, sent = "<SEQ=100><ACK=305><CTL=ACK>" } },
  }
  pass.segment { at = "a", seq = 305, ack = 100, data = 1000, fin = true }
  expect { ends = { a = { state = "open.ESTABLISHED", rcv_nxt = 1305 } } }   -- the FIN does not fit
end)

-- Table 6, its four cases: length and window zero or not.
scenario("a window of zero lets only empty segments in, at its edge", function()
  given_established()
  given { ends = { a = { rcv_wnd = 0 } } }
  refuse.segment { at = "a", seq = 300, ack = 100, data = 1 }:by("gate sequence number")
  refuse.segment { at = "a", seq = 301, ack = 100 }:by("gate sequence number")
  pass.segment { at = "a", seq = 300, ack = 100 }
  expect.change { ["ends.a.snd_una"] = 100 }
end)

scenario("a segment whose turn has not come has to come again", function()
  given_established()
  refuse.segment { at = "a", seq = 310, ack = 100, data = 10 }
    :by("gate order"):because("reply <SEQ=100><ACK=300><CTL=ACK>")
  pass.segment { at = "a", seq = 300, ack = 100, data = 10 }
  pass.segment { at = "a", seq = 310, ack = 100, data = 10 }
  expect { ends = { a = { rcv_nxt = 320 } } }
end)

scenario("nobody acknowledges what was not sent", function()
  given_established()
  refuse.segment { at = "a", seq = 300, ack = 101 }
    :because("not yet sent; reply <SEQ=100><ACK=300><CTL=ACK>")
  refuse.segment { at = "a", seq = 300, data = 10 }:because("the ACK bit is off")
  pass.segment { at = "a", seq = 300, ack = 80 }   -- an old ACK does no harm
  expect.change {}
end)

scenario("in SYN-RECEIVED a wrong ACK is answered with a reset", function()
  pass.passive_open { at = "b" }
  pass.segment { at = "b", seq = 100, syn = true }
  refuse.segment { at = "b", seq = 101, ack = 300 }:because("reply <SEQ=300><CTL=RST>")
  refuse.segment { at = "b", seq = 101, ack = 302 }:because("reply <SEQ=302><CTL=RST>")
  expect { ends = { b = { state = "opening.SYN-RECEIVED" } } }
end)

-- RFC 5961: who only guesses a number in the window gets a challenge, and no connection is lost.
scenario("a reset in the window, but not at its edge, is challenged", function()
  given_established()
  refuse.segment { at = "a", seq = 301, rst = true }
    :by("gate RST bit"):because("reply <SEQ=100><ACK=300><CTL=ACK>")
  refuse.segment { at = "a", seq = 299, rst = true }:by("gate sequence number")
  pass.segment { at = "a", seq = 300, rst = true }
  expect { ends = { a = { state = "CLOSED" } } }
end)

scenario("a SYN on a synchronized connection is challenged", function()
  given_established()
  given { ends = { a = { passive = true } } }   -- however it was opened
  refuse.segment { at = "a", seq = 500, syn = true }
    :by("gate SYN bit"):because("reply <SEQ=100><ACK=300><CTL=ACK>")
end)

scenario("a second SYN sends a passive SYN-RECEIVED back to LISTEN", function()
  pass.passive_open { at = "b" }
  pass.segment { at = "b", seq = 100, syn = true }
  refuse.segment { at = "b", seq = 100, syn = true }   -- the first one repeated
    :because("reply <SEQ=301><ACK=101><CTL=ACK>")
  pass.segment { at = "b", seq = 200, syn = true }
  expect { ends = { b = { state = "opening.LISTEN", irs = none } } }
end)

scenario("in TIME-WAIT the FIN of the other end may come again", function()
  given {
    ends = { a = { state = "closing.TIME-WAIT", snd_una = 101, snd_nxt = 101, rcv_nxt = 301 } },
  }
  refuse.segment { at = "a", seq = 300, ack = 101, fin = true }
    :because("reply <SEQ=101><ACK=301><CTL=ACK>")
  refuse.time_wait_timeout { at = "b" }:because("only TIME-WAIT waits")
  pass.time_wait_timeout { at = "a" }
end)

scenario("a sequence number has 32 bits", function()
  fail.segment { at = "a", seq = 0x100000000, ack = -1, data = 0x10000 }
    :by("payload"):because("seq"):because("ack"):because("data")
  fail.segment { at = "c" }:because("at"):because("seq")
end)
