import FlowKernel
import FlowLanguage
import FlowTools
import LuaRuntime
import Platform
import SharedCommands
