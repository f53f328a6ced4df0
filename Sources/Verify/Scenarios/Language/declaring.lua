-- Shared by the files that declare something about a flow (scenarios, explorations): the flow, places, and faults. A
-- language adds its own words to `host.declaring`, and `modules.lua` is loaded after it.

local host = host
local error, format, match, type = error, string.format, string.match, type

local faults = {}
local module_files = {}
local own_file
local flow_path, flow_place

local function here()
  local file, line = host.where()
  return { file = file or "", line = line or 0 }
end

local function fault(message)
  local place = here()
  place.message = host.printable(message)
  faults[#faults + 1] = place
end

-- Raises an error for a mistake in the file, at the line of the mistake.
local function misuse(message)
  local place = here()
  error(format("%s:%d: %s", place.file, place.line, message), 0)
end

local function must_be_own(what, kind)
  if here().file ~= own_file then
    misuse(format("%s must be in the %s file itself, not in a module that it requires", what, kind))
  end
end

local function flow(path)
  if type(path) ~= "string" then return fault("flow needs the flow's file: flow \"name.lua\"") end
  if flow_path then
    return fault(format("the flow is named twice: here and at line %d", flow_place.line))
  end
  flow_path, flow_place = path, here()
end

-- Runs a file. Returns what all such files declare, or the faults of its source; an error that the file raises is left
-- to the caller.
local function run(text, file, environment)
  own_file = file
  local chunk, message = host.compile(text, file, environment)
  if not chunk then
    local line, rest = match(message, "^.-:(%d+): (.*)$")
    return { faults = { { file = file, line = math.tointeger(line) or 0, message = rest or message } } }
  end
  chunk()
  return { flow = flow_path, flow_line = flow_place and flow_place.line,
    faults = host.set_mark(faults, "list"), modules = host.set_mark(module_files, "list") }
end

host.declaring = {
  here = here, fault = fault, misuse = misuse, must_be_own = must_be_own, flow = flow, run = run,
  module_files = module_files,
}

-- Returns the faults that were found before the file raised an error.
function host.declared_faults()
  return host.set_mark(faults, "list")
end
