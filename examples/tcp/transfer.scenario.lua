-- Data under way, and sequence numbers that pass from 2^32 - 1 to 0 (RFC 9293, 3.4).
flow "tcp.lua"

local last = 0xFFFFFFFF

scenario("each octet is sent, received and acknowledged once", function()
  given {
    ends = {
      a = { state = "open.ESTABLISHED", snd_una = 100, snd_nxt = 100, rcv_nxt = 300 },
      b = { state = "open.ESTABLISHED", snd_una = 300, snd_nxt = 300, rcv_nxt = 100 },
    },
  }
  pass.send { at = "a", data = 10 }
  expect.change { ends = { a = { snd_nxt = 110, sent = "<SEQ=100><ACK=300><DATA=10><CTL=ACK>" } } }
  pass.send { at = "a", data = 20 }
  expect.change { ends = { a = { snd_nxt = 130, sent = "<SEQ=110><ACK=300><DATA=20><CTL=ACK>" } } }
  expect.view.in_flight { a = 30, b = 0 }

  pass.segment { at = "b", seq = 100, ack = 300, data = 10 }
  pass.segment { at = "b", seq = 110, ack = 300, data = 20 }
  expect.change { ends = { b = { rcv_nxt = 130, sent = "<SEQ=300><ACK=130><CTL=ACK>" } } }

  pass.segment { at = "a", seq = 300, ack = 130 }   -- the ACK of the first segment got lost
  expect.change { ends = { a = { snd_una = 130, sent = none } } }
  expect.view.in_flight { a = 0, b = 0 }
end)

scenario("who has received a FIN may still send", function()
  given {
    ends = {
      a = { state = "open.FIN-WAIT-2", snd_una = 101, snd_nxt = 101, rcv_nxt = 300 },
      b = { state = "open.CLOSE-WAIT", snd_una = 300, snd_nxt = 300, rcv_nxt = 101 },
    },
  }
  refuse.send { at = "a", data = 10 }:because("connection closing")
  pass.send { at = "b", data = 10 }
  pass.segment { at = "a", seq = 300, ack = 101, data = 10 }
  expect {
    ends = {
      a = { state = "open.FIN-WAIT-2", rcv_nxt = 310, sent = "<SEQ=101><ACK=310><CTL=ACK>" },
    },
  }
end)

scenario("text is acknowledged before the FIN that was sent after it", function()
  given {
    ends = { b = { state = "open.CLOSE-WAIT", snd_una = 300, snd_nxt = 320, rcv_nxt = 101 } },
  }
  pass.segment { at = "b", seq = 101, ack = 310 }
  expect.change { ends = { b = { snd_una = 310 } } }
  pass.close { at = "b" }
  pass.segment { at = "b", seq = 101, ack = 320 }
  expect { ends = { b = { state = "closing.LAST-ACK", snd_una = 320 } } }
  pass.segment { at = "b", seq = 101, ack = 321 }
  expect { ends = { b = { state = "CLOSED" } } }
end)

scenario("the ACK of a SYN and a FIN come in one segment", function()
  pass.passive_open { at = "a" }
  pass.segment { at = "a", seq = 300, syn = true }
  pass.segment { at = "a", seq = 301, ack = 101, fin = true }
  expect { ends = { a = { state = "open.CLOSE-WAIT", sent = "<SEQ=101><ACK=302><CTL=ACK>" } } }
end)

scenario("text and FIN come in one segment", function()
  given {
    ends = { a = { state = "open.ESTABLISHED", snd_una = 100, snd_nxt = 100, rcv_nxt = 300 } },
  }
  pass.segment { at = "a", seq = 300, ack = 100, data = 10, fin = true }
  expect.change {
    ends = {
      a = {
        state = "open.CLOSE-WAIT", rcv_nxt = 311, sent = "<SEQ=100><ACK=311><CTL=ACK>",
        signal = "connection closing",
      },
    },
  }
end)

scenario("a handshake on the last number", function()
  given { ends = { a = { isn = last }, b = { isn = last } } }
  pass.passive_open { at = "b" }
  pass.active_open { at = "a" }
  expect.change {
    ends = {
      a = {
        state = "opening.SYN-SENT", iss = last, snd_una = last, snd_nxt = 0,
        sent = "<SEQ=4294967295><CTL=SYN>",
      },
    },
  }
  pass.segment { at = "b", seq = last, syn = true }
  expect { ends = { b = { sent = "<SEQ=4294967295><ACK=0><CTL=SYN,ACK>" } } }
  pass.segment { at = "a", seq = last, ack = 0, syn = true }
  expect { ends = { a = { state = "open.ESTABLISHED", sent = "<SEQ=0><ACK=0><CTL=ACK>" } } }
  pass.segment { at = "b", seq = 0, ack = 0 }
  expect.view.status { a = "ESTABLISHED", b = "ESTABLISHED" }
end)

scenario("data that wraps around", function()
  given {
    ends = {
      a = { state = "open.ESTABLISHED", snd_una = last - 4, snd_nxt = last - 4, rcv_nxt = 300 },
    },
  }
  pass.send { at = "a", data = 10 }
  expect { ends = { a = { snd_nxt = 5 } } }
  expect.view.in_flight { a = 10, b = 0 }
  pass.segment { at = "a", seq = 300, ack = 0 }        -- five of them
  expect.view.in_flight { a = 5, b = 0 }
  refuse.segment { at = "a", seq = 300, ack = 6 }:because("not yet sent")
  pass.segment { at = "a", seq = 300, ack = 5 }
  expect.view.in_flight { a = 0, b = 0 }
  pass.segment { at = "a", seq = 300, ack = last }     -- old by now, large as it is
  expect.change {}
end)

scenario("a window that wraps around", function()
  given {
    ends = {
      a = { state = "open.ESTABLISHED", snd_una = 100, snd_nxt = 100, rcv_nxt = last - 9,
            rcv_wnd = 20 },
    },
  }
  refuse.segment { at = "a", seq = 10, ack = 100, data = 1 }:by("gate sequence number")
  refuse.segment { at = "a", seq = 9, ack = 100, data = 1 }:by("gate order")   -- the last inside
  refuse.segment { at = "a", seq = last - 10, ack = 100 }:by("gate sequence number")
  pass.segment { at = "a", seq = last - 9, ack = 100, data = 15 }
  expect { ends = { a = { rcv_nxt = 5 } } }
end)
