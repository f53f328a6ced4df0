#if Server
  import FlowHosting
  import FlowKernel
  import FlowLanguage
  import FlowTools
  import HostFiles
  import Platform

  /// The capabilities of a served flow: those of its host file, and those that nobody provides yet.
  final class ServedCapabilities: Sendable {
    /// The host file in use; nil if there is none.
    let hostFile: HostFileInUse?
    private let flow: String
    private let hostFileName: String
    private let uses: CapabilityUses
    private let policy: MissingPolicy
    private let allowsCommands: Bool
    /// The capabilities that durable effects call and nobody provides, beyond those that the text of the flow shows.
    private let missed = MissedCapabilities()

    /// Loads the host file of a flow.
    ///
    /// - Parameters:
    ///   - path: the path of the flow's file.
    ///   - choice: the choice of the host file.
    ///   - sender: the client of `http` capabilities; nil if their tasks are opened, and not performed.
    ///   - runner: the runner of `command` capabilities; nil if their tasks are opened, and not performed.
    ///   - allowsCommands: false if no host file may have a `command`.
    ///   - source: the origin of the texts of the environment and of files that the host file reads.
    /// - Throws: `FlowError` or `ScriptError` for faults of the host file; `CommandsNotAllowed`; `UnprovidedCalls`,
    ///   unless the policy is to wait.
    init(
      of flow: LoadedFlow, at path: String, _ choice: HostFileChoice, _ policy: MissingPolicy,
      sender: (any HTTPSender)? = nil, runner: (any CommandRunner)? = nil,
      allowsCommands: Bool = true, reading source: HostTexts.Source = .process
    ) throws {
      let url = choice.url(for: URL(filePath: path))
      hostFile = try url.map {
        try HostFileInUse(
          HostFile($0, limits: flow.limits, reading: source), for: flow.flow, limits: flow.limits,
          sender: sender, runner: runner)
      }
      hostFileName =
        url?.lastPathComponent ?? FlowFile.stem(of: path) + FlowFile.hostFileSuffix
      self.flow = flow.name
      uses = CapabilityUses(FlowText(flow))
      (self.policy, self.allowsCommands) = (policy, allowsCommands)
      try hostFile?.file.expectAllowed(commands: allowsCommands)
      try expectProvided(by: hostFile?.file)
    }

    /// The capabilities of the host file.
    var provided: [HostCapability] { hostFile?.file.capabilities ?? [] }

    /// The webhooks of the host file.
    var hooks: [HostHook] { hostFile?.file.hooks ?? [] }

    /// The notifications of the host file.
    var notifications: [HostNotification] { hostFile?.file.notifications ?? [] }

    /// The capabilities that the flow calls and nobody provides.
    var missing: [MissingCapability] { unprovided(by: hostFile?.file) }

    private func unprovided(by file: HostFile?) -> [MissingCapability] {
      let lent = Set(file?.capabilities.map(\.title) ?? [])
      return uses.missing { scope, name in lent.contains("\(scope).\(name)") }
    }

    /// Throws if a capability is missing and the flow must not wait for it.
    private func expectProvided(by file: HostFile?) throws(UnprovidedCalls) {
      if policy == .wait { return }
      let missing = unprovided(by: file)
      if missing.isEmpty { return }
      throw UnprovidedCalls(flow: flow, capabilities: missing, hostFile: hostFileName)
    }

    /// Provides the capabilities to the scopes of a case that is activated now.
    func provide(to scopes: inout HostScopes) {
      let file = hostFile?.file
      file?.provide(to: &scopes, sender: hostFile?.sender, runner: hostFile?.runner)
      scopes.capabilities.missed = missed
      if policy == .refuse { return }
      for capability in unprovided(by: file) {
        scopes[capability.scope].provide(capability.name, TaskCapability.missing(capability.name))
      }
    }

    /// The capabilities as the kernel calls them, by name with scope, such as `root.mail`, and the notifications.
    var tasks: [String: TaskCapability] {
      var scopes = HostScopes()
      provide(to: &scopes)
      return scopes.capabilities.tasks
    }

    /// Reads the host file again, and uses it from now on.
    ///
    /// - Throws: the same errors as `init`; the earlier file then stays in use.
    func reload() throws {
      try hostFile?.reload { file in
        try file.expectAllowed(commands: allowsCommands)
        try expectProvided(by: file)
      }
    }
  }
#endif
