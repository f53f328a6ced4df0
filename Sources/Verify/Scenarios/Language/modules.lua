-- require: modules that files share; they run in the environment of the file that requires them.

local host = host
local words = host.declaring
local error, format, type = error, string.format, type

local UNDER_WAY = {}
local modules = {}  -- name -> what it returned

words.set("require", function(name)
  if type(name) ~= "string" then words.misuse("require needs the name of a module: require \"helpers\"") end
  if words.is_closed and words.is_closed() then
    words.misuse("require must be outside of functions, at the top of the file")
  end
  local known = modules[name]
  if known == UNDER_WAY then words.misuse(format("module %q requires itself", name)) end
  if known ~= nil then return known end
  local text, file = host.declared_module(name)
  if not text then words.misuse(file) end
  local chunk, message = host.compile(text, file, words.environment)
  if not chunk then error(message, 0) end
  modules[name] = UNDER_WAY
  words.module_files[#words.module_files + 1] = file
  local value = chunk(name, file)
  if value == nil then value = true end
  modules[name] = value
  return value
end)
