import FlowKernel
import FlowLanguage
import LuaRuntime
