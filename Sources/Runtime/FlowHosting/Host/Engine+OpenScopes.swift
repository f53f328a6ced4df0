import FlowKernel
import LuaRuntime

extension Engine {
  var openScopes: [ScopeInstanceStatus] {
    flow.scopes.indices.flatMap { index in
      scopes.scopeInstances(of: index).map { opening in
        ScopeInstanceStatus(
          name: flow.scopes[index].name, parent: flow.scopes[index].parent,
          key: opening.key.isNil ? nil : opening.key, isHosts: flow.scopes[index].isHosts)
      }
    }
  }
}
