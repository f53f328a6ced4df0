#if Server
  import FlowTools

  /// The error of a flow that calls capabilities which nobody provides.
  struct UnprovidedCalls: Error, CustomStringConvertible {
    /// The name of the flow's file.
    let flow: String
    /// The capabilities; not empty.
    let capabilities: [MissingCapability]
    /// The name of the host file, whether there is one or not.
    let hostFile: String

    /// A line for each capability with its first call, and two ways on.
    var description: String {
      let width = capabilities.map(\.title.count).max() ?? 0
      let lines = capabilities.map { capability in
        let blanks = String(repeating: " ", count: width - capability.title.count)
        return "  \(capability.title)\(blanks)    \(capability.place)"
      }
      let it = capabilities.count == 1 ? "it" : "them"
      return
        (["\(flow) calls capabilities that nobody provides:"] + lines + [
          "Provide \(it) in \(hostFile), or start with --missing wait: durable effects then wait for \(it), "
            + "plain ones fail."
        ]).joined(separator: "\n")
    }
  }
#endif
