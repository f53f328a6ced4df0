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
  /// The length of a worker's lease, in seconds.
  package let lease: Double
  /// The number of lost leases after which a task is dead.
  package let attempts: Int
  /// The longest time from the call to the answer, in seconds; nil if there is none.
  package let timeout: Double?
  package let arguments: Arguments
  /// The type of the result; nil if it may be any value.
  package let result: PayloadType?

  /// Reads the prelude's description.
  init(_ entry: Value) {
    scope = entry["scope"]?.stringValue ?? ScopeDeclaration.root
    name = entry["name"]?.stringValue ?? ""
    place = SourcePlace(
      file: entry["file"]?.stringValue ?? "", line: entry["line"]?.integerValue ?? 0)
    kind = .worker
    queue = entry["queue"]?.stringValue ?? name.lowercased()
    lease = entry["lease"]?.doubleValue ?? 60
    attempts = entry["attempts"]?.integerValue ?? 20
    timeout = entry["timeout"]?.doubleValue
    result = entry["result"].map { PayloadType(type: $0) }
    if let parameters = entry["arguments"]?["parameters"]?.listValue {
      arguments = .list(
        parameters.map {
          PayloadType.Field(
            name: $0["name"]?.stringValue ?? "", type: PayloadType(type: $0["type"] ?? .nil))
        })
    } else if let fields = entry["arguments"]?["fields"] {
      arguments = .record(PayloadType(describing: fields))
    } else {
      arguments = .anyRecord
    }
  }

  /// The performer in a line, such as `workers of mail, lease 5 min`.
  package var summary: String {
    let lease = DurationText.text(self.lease)
    let timeout = timeout.map { ", timeout \(DurationText.text($0))" } ?? ""
    return "workers of \(queue), lease \(lease)\(timeout)"
  }

  /// The name with its scope, such as `root.mail`.
  package var title: String { "\(scope).\(name)" }
}
