import FlowKernel
import FlowLanguage
import LuaRuntime

/// A capability that a host file provides, with its performer.
package struct HostCapability: Sendable {
  /// The arguments that a call takes.
  package enum Arguments: Sendable {
    /// One record with any fields.
    case anyRecord
    /// One record of this type.
    case record(PayloadType)
    /// Arguments in order, which become the fields of a record.
    case list([PayloadType.Field])
  }

  package let scope: String
  package let name: String
  /// The line of the host file that declares it.
  package let place: SourcePlace
  package let kind: TaskKind
  package let queue: String
  /// The length of a lease, in seconds.
  package let lease: Double
  /// The number of lost leases after which a task is dead.
  package let attempts: Int
  /// The longest time from the call to the answer, in seconds; nil if there is none.
  package let timeout: Double?
  package let arguments: Arguments
  /// The type of the result; nil if it may be any value.
  package let result: PayloadType?
  /// The options of an `http` capability; nil for another kind.
  let http: HTTPOptions?
  /// The options of a `command` capability; nil for another kind.
  let command: CommandOptions?
  /// The performer in a line, such as `workers of mail, lease 5 min`, `POST $BANK_URL/charges` or `command df -h`.
  package let summary: String

  /// Reads the prelude's description.
  ///
  /// - Parameters:
  ///   - texts: the texts that the host file has read, which the summary does not show.
  ///   - faults: gets each fault that the prelude has not found.
  init(_ entry: Value, _ texts: HostTexts, faults: inout [String]) {
    let scope = entry["scope"]?.stringValue ?? ScopeDeclaration.root
    let name = entry["name"]?.stringValue ?? ""
    (self.scope, self.name) = (scope, name)
    place = SourcePlace(describedIn: entry)
    result = entry["result"].map { PayloadType(type: $0) }
    arguments = Arguments(entry["arguments"])
    attempts = entry["attempts"]?.integerValue ?? 20
    let isRoot = scope == ScopeDeclaration.root
    switch entry["kind"]?.stringValue {
    case "http":
      let options = HTTPOptions(entry, hasNames: texts.areNames, faults: &faults)
      faults += options?.placeholderFaults(arguments: arguments.names, isRoot: isRoot) ?? []
      (kind, http, command, queue) = (.http, options, nil, "#\(scope).\(name)")
      // A request may take its whole time, and then its answer must be stored.
      lease = (options?.timeout ?? 30) + 5
      timeout = options?.callback
      summary =
        options.map { texts.hiding("\($0.method) \($0.loadedURL)") + HostCapability.callback($0) }
        ?? ""
    case "command":
      let options = CommandOptions(entry, texts, faults: &faults)
      faults += options?.placeholderFaults(arguments: arguments.names, isRoot: isRoot) ?? []
      (kind, http, command, queue) = (.command, nil, options, "#\(scope).\(name)")
      lease = (options?.timeout ?? 60) + CommandOptions.grace + 5
      timeout = nil
      summary = options.map { "command \($0.summary(texts))" } ?? ""
    default:
      (kind, http, command) = (.worker, nil, nil)
      queue = entry["queue"]?.stringValue ?? name.lowercased()
      lease = entry["lease"]?.doubleValue ?? 60
      timeout = entry["timeout"]?.doubleValue
      summary =
        "workers of \(queue), lease \(DurationText.text(lease))"
        + (timeout.map { ", timeout \(DurationText.text($0))" } ?? "")
    }
  }

  private static func callback(_ options: HTTPOptions) -> String {
    options.callback.map { ", callback \(DurationText.text($0))" } ?? ""
  }

  /// True if the answer comes through a webhook.
  package var hasCallback: Bool { http?.callback != nil }

  /// The name with its scope, such as `root.mail`.
  package var title: String { "\(scope).\(name)" }
}

extension HostCapability.Arguments {
  /// Reads the prelude's description.
  fileprivate init(_ described: Value?) {
    if let parameters = described?["parameters"]?.listValue {
      self = .list(
        parameters.map {
          PayloadType.Field(
            name: $0["name"]?.stringValue ?? "", type: PayloadType(type: $0["type"] ?? .nil))
        })
    } else if let fields = described?["fields"] {
      self = .record(PayloadType(describing: fields))
    } else {
      self = .anyRecord
    }
  }

  /// The names of the arguments, in order; nil if they may have any.
  var names: [String]? {
    switch self {
    case .anyRecord: nil
    case .record(let type): type.fieldNames
    case .list(let parameters): parameters.map(\.name)
    }
  }
}
