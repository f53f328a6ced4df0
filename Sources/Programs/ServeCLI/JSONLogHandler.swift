#if Server
  import FlowKernel
  import Logging
  import LuaRuntime
  import Platform

  /// A log handler that writes each message to standard error as a line of JSON.
  struct JSONLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .notice
    private let label: String

    init(_ label: String) { self.label = label }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      var fields: [String: Value] = [:]
      for (name, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) {
        fields[name] = .string("\(value)")
      }
      fields["time"] = .number(Date().timeIntervalSince1970)
      fields["level"] = .string(event.level.rawValue)
      fields["logger"] = .string(label)
      fields["message"] = .string("\(event.message)")
      Terminal.writeError(JSONText.visible(.record(fields)) + "\n")
    }
  }
#endif
