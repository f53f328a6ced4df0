-- Money is counted in whole cents: 68.77 + 15.16 falls short of 83.93 when added as floats.
local money = {}

-- 71.5 euros are 7150 cents; half a cent is an error.
function money.cents(euros)
  local cents = math.floor(euros * 100 + 0.5)
  if math.abs(euros * 100 - cents) > 1e-6 then
    error(("%s euros is not a whole number of cents"):format(euros), 0)
  end
  return cents
end

-- The very number that a log or a scenario writes: 7150 cents are 71.5 euros.
function money.euros(cents)
  return cents / 100
end

function money.text(cents)
  return ("%.2f"):format(cents / 100)
end

return money
