#if Server
  import FlowHosting
  import HostFiles

  extension HostFile {
    /// Provides the capabilities and the notifications to a flow, and sends their requests while its cases are open.
    ///
    /// Workers claim the tasks of `worker` capabilities from a server on the same journal.
    ///
    /// - Parameters:
    ///   - scopes: the scopes of the flow.
    ///   - sender: the client, which must stay open for as long as the cases.
    public func provide(to scopes: inout HostScopes, sending sender: HTTPTaskSender) {
      provide(to: &scopes, sender: sender)
    }
  }
#endif
