import FlowLanguage
import HostFiles
import LuaRuntime

extension PlaySettings {
  var value: Value {
    var fields = EventFields()
    fields.set("seed", String(seed))
    fields.set("every_step", tellsEveryStep)
    fields.set("coverage", notesCoverage)
    fields.set("restarts", restarts)
    fields.set("snapshots", snapshots.rawValue)
    fields.set("live", live != nil)
    fields.set("host_file", live?.hostFile.option)
    fields.set("private", live?.allowsPrivate == true)
    fields.set("commands", live?.allowsCommands == true)
    let limits = Limits.names.map { ($0, Value.integer(self.limits[name: $0] ?? 0)) }
    fields.set("limits", .record(Dictionary(uniqueKeysWithValues: limits)))
    return fields.value
  }

  /// Reads the settings from a value; returns nil if `value` does not produce such values.
  init?(_ value: Value) {
    self.init()
    let fields = OutsideFields(value)
    do {
      seed = try fields.seed("seed") ?? 0
      tellsEveryStep = try fields.flag("every_step")
      notesCoverage = try fields.flag("coverage")
      restarts = try fields.flag("restarts")
      snapshots = try fields.word("snapshots") ?? .keep
      if try fields.flag("live") {
        live = LiveSettings(
          hostFile: HostFileChoice(option: try fields.text("host_file")),
          allowsPrivate: try fields.flag("private"),
          allowsCommands: try fields.flag("commands"))
      }
      for (name, limit) in value["limits"]?.recordValue ?? [:] {
        limits[name: name] = limit.integerValue
      }
    } catch {
      return nil
    }
  }
}
