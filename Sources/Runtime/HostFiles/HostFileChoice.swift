import Platform

/// The choice of a flow's host file on a command line.
package enum HostFileChoice: Sendable, Hashable {
  /// The one beside the flow, if there is one.
  case beside
  /// No file.
  case none
  /// The file at a path.
  case file(String)

  /// Makes the choice of an option `--host-file`: nil if it is not given.
  package init(option: String?) {
    switch option {
    case nil: self = .beside
    case "none"?: self = .none
    case let path?: self = .file(path)
    }
  }

  /// The argument of an option `--host-file` that makes this choice; nil if it is not given.
  package var option: String? {
    switch self {
    case .beside: nil
    case .none: "none"
    case .file(let path): path
    }
  }

  /// Returns the host file of a flow; nil if it has none.
  package func url(for flow: URL) -> URL? {
    switch self {
    case .beside: HostFile.beside(flow)
    case .none: nil
    case .file(let path): URL(filePath: path)
    }
  }
}
