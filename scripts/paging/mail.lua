-- A flow whose capabilities are performed by workers, as mail.host.lua says.
state { sent = "", pin = optional(string { secret = true }) }

action.send { text = string }
action.post { text = string }
internal.sent { id = string }
internal.failed { error = string }

function reduce.sent(s, a) s.sent = a.id end
function reduce.failed(s, a) s.sent = a.error end

effect.send = {
  durable = true, on_done = "sent", on_error = "failed",
  run = function(self, a) return { id = self:mail(a.text).id } end,
}
effect.post = {
  durable = true, on_done = "sent", on_error = "failed",
  run = function(self, a) return { id = self:letter { text = a.text, pin = "hidden-4711", copies = { 1, 9007199254740993 } }.id } end,
}
