#if Server
  import FlowHosting
  import HTTPTasks
  import HostFiles

  extension HostFile {
    /// Provides the capabilities and the notifications to a flow; sends their requests and runs their programs while its
    /// cases are open.
    ///
    /// Workers claim the tasks of `worker` capabilities from a server on the same journal.
    ///
    /// - Parameters:
    ///   - scopes: the scopes of the flow.
    ///   - sender: the client of `http` capabilities, which must stay open for as long as the cases.
    ///   - runner: the runner of `command` capabilities, which must stay open for as long as the cases.
    public func provide(
      to scopes: inout HostScopes, sending sender: HTTPTaskSender, running runner: CommandTaskRunner
    ) {
      provide(to: &scopes, sender: sender, runner: runner)
    }
  }
#endif
