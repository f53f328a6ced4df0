// Clients import Moonlatch alone: the public declarations of these modules are part of it.
@_exported import FlowCases
@_exported import FlowHosting
@_exported import FlowKernel
@_exported import FlowLanguage
@_exported import LuaRuntime
