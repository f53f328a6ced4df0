-- Segments, as RFC 9293 writes them: <SEQ=300><ACK=101><CTL=SYN,ACK>.
local segment = {}

-- SEG.LEN: the sequence numbers that a segment occupies, SYN and FIN one each.
function segment.length(g)
  return (g.data or 0) + (g.syn and 1 or 0) + (g.fin and 1 or 0)
end

function segment.text(g)
  local controls = {}
  for _, bit in ipairs { "syn", "fin", "rst", "ack" } do
    if g[bit] then
      table.insert(controls, bit:upper())
    end
  end
  local ack = g.ack and ("<ACK=%d>"):format(g.ack) or ""
  local data = (g.data or 0) > 0 and ("<DATA=%d>"):format(g.data) or ""
  return ("<SEQ=%d>%s%s<CTL=%s>"):format(g.seq, ack, data, table.concat(controls, ","))
end

return segment
