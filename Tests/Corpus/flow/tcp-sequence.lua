-- Sequence numbers: 32 bits, after the last comes 0 again (RFC 9293, section 3.4).
local sequence = {}

function sequence.add(number, octets)
  return (number + octets) & 0xFFFFFFFF
end

-- How many octets `to` is ahead of `from`; negative when it is behind.
function sequence.distance(from, to)
  local ahead = (to - from) & 0xFFFFFFFF
  return ahead < 0x80000000 and ahead or ahead - 0x100000000
end

function sequence.less(a, b)
  return sequence.distance(a, b) > 0
end

-- Is the number one of the `size` numbers that begin with `first`?
function sequence.within(number, first, size)
  return (number - first) & 0xFFFFFFFF < size
end

return sequence
