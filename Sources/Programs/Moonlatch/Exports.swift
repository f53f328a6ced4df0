// Clients import only Moonlatch: the public declarations of these modules belong to it.
@_exported import FlowCases
@_exported import FlowHosting
@_exported import FlowKernel
@_exported import FlowLanguage
@_exported import LuaRuntime
