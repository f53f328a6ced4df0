import FlowLanguage

/// A report of something that happened in a host or a case outside of any call.
///
/// ```swift
/// options.report = { report in
///   if report.kind == .effectFailed { failures.increment() }
///   logger.warning("\(report)")
/// }
/// ```
public struct HostReport: Sendable, Hashable, CustomStringConvertible {
  /// A kind of report.
  public enum Kind: String, Sendable, Hashable {
    /// An effect raised an error, or was cut off; its `on_error` follows if it has one.
    case effectFailed
    /// An effect was stopped, and nothing follows it.
    case effectStopped
    /// Pending work was dropped: a queued action, a timer, a passage.
    case workDropped
    /// A queued action was refused.
    case actionRefused
    /// A queued action failed.
    case actionFailed
    /// A capability ended when nothing waited for it any more.
    case lateAnswer
    /// A clean-up of a scope raised an error.
    case cleanUpFailed
    /// No transition of a document handled an error.
    case errorUnhandled
    /// A function changed a local of the flow's files.
    case localChanged
    /// The transcript ended, because it reached its limit.
    case transcriptEnded
    /// Nobody provides a capability that the flow called.
    case capabilityMissing
    /// Due work of a case could not be done; it is tried again.
    case dueWorkFailed
    /// A case could not take over a reloaded flow.
    case reloadFailed
    /// The commits of a case can be observed no longer.
    case observationEnded
    /// A node could not renew its leases.
    case leasesNotRenewed
  }

  /// The kind.
  public let kind: Kind
  /// The host's id (`HostOptions.id`), the case's, or the node's name; nil if the host was given none.
  public let host: String?
  /// The flow's file.
  public let flow: String
  /// The message, without the host.
  public let message: String

  /// Creates a report, for instance in a test.
  public init(kind: Kind, host: String? = nil, flow: String = "", message: String) {
    (self.kind, self.host, self.flow, self.message) = (kind, host, flow, message)
  }

  /// The message; it begins with the host's id if there is one.
  public var description: String { host.map { "\($0): \(message)" } ?? message }
}

extension HostReport {
  package init(_ kind: Kind, from name: HostName, _ message: String) {
    self.init(kind: kind, host: name.id, flow: name.flow, message: message)
  }

  /// Creates a report of an engine.
  ///
  /// - Parameter texts: secrets that the message does not show; nil if there are none.
  package init(_ report: Report, from name: HostName, hiding texts: SecretTexts? = nil) {
    let message = report.description
    self.init(report.kind, from: name, texts?.hiding(in: message) ?? message)
  }
}

extension Report {
  fileprivate var kind: HostReport.Kind {
    switch self {
    case .effect, .handled: .effectFailed
    case .stopped: .effectStopped
    case .dropped: .workDropped
    case .transcriptEnded: .transcriptEnded
    case .queuedRefused: .actionRefused
    case .queuedFailed: .actionFailed
    case .unheard: .lateAnswer
    case .cleanUp: .cleanUpFailed
    case .local: .localChanged
    case .untaken: .errorUnhandled
    case .missingCapability: .capabilityMissing
    }
  }
}
