import FlowKernel
import FlowLanguage
import FlowTools
import LuaRuntime

/// The static data of a flow for a page: machines to draw, actions with the types of their payloads.
struct FlowModel {
  private let loaded: LoadedFlow

  init(_ loaded: LoadedFlow) { self.loaded = loaded }

  var data: [String: Value] {
    let flow = loaded.flow
    return [
      "flow": .string(loaded.name), "version": .integer(flow.version),
      "machines": FlowDrawing(FlowText(loaded)).machines,
      "written": .list(written),
      "actions": .list(
        flow.actions.map { action in
          var fields: [String: Value] = [
            "name": .string(action.name), "place": .string("\(action.place)"),
            "payload": FlowModel.type(action.payload),
            "machines": .list(action.machines.map { .integer($0) }),
          ]
          if action.isInternal { fields["internal"] = true }
          fields["scope"] = action.scope.map { .string(flow.scopes[$0].name) }
          return .record(fields)
        }),
    ]
  }

  /// The titles of timed transitions whose delay is written as a text in the flow.
  ///
  /// Each has the title in seconds, such as `after 1209600 s in order`, the path of the state, and the text to show,
  /// such as `after 14d`.
  private var written: [Value] {
    loaded.flow.machines.flatMap { machine in
      machine.chart.states.flatMap { state in
        state.timers.compactMap { timer -> Value? in
          guard timer.due == .transition, timer.written != nil, let title = timer.titleInSeconds
          else { return nil }
          return [
            "title": .string("\(title) in \(machine.name)"), "path": .string(state.path),
            "text": .string(timer.text),
          ]
        }
      }
    }
  }

  /// Returns a type as a form needs it; numbers are texts.
  static func type(_ type: PayloadType) -> Value {
    var fields: [String: Value] = ["text": .string(type.text)]
    func kind(_ name: String) { fields["kind"] = .string(name) }
    func bound(_ name: String, _ value: Value?) {
      fields[name] = value.map { .string($0.description) }
    }
    func length(_ min: Int?, _ max: Int?) {
      fields["shortest"] = min.map { .integer($0) }
      fields["longest"] = max.map { .integer($0) }
    }
    switch type {
    case .boolean: kind("boolean")
    case .integer(let min, let max, _):
      kind("integer")
      bound("min", min)
      bound("max", max)
    case .number(let min, let max, _):
      kind("number")
      bound("min", min)
      bound("max", max)
    case .string(let pattern, let min, let max, _):
      kind("string")
      fields["pattern"] = pattern.map { .string($0) }
      length(min, max)
    case .any: kind("any")
    case .oneOf(let values, _):
      kind("one_of")
      fields["values"] = .list(values.map { .string(JSONText.text($0)) })
    case .listOf(let element, let min, let max, _):
      kind("list_of")
      fields["element"] = FlowModel.type(element)
      length(min, max)
    case .mapOf(let element, let key, let max, _):
      kind("map_of")
      fields["element"] = FlowModel.type(element)
      fields["key"] = key.map(FlowModel.type)
      length(nil, max)
    case .optional(let inner):
      kind("optional")
      fields["element"] = FlowModel.type(inner)
    case .record(let all):
      kind("record")
      fields["fields"] = .list(
        all.map { ["name": .string($0.name), "type": FlowModel.type($0.type)] })
    }
    if let common = type.common {
      if common.isSecret { fields["secret"] = true }
      if let value = common.defaultValue, !common.isSecret {
        fields["default"] = .string(JSONText.text(value))
      }
      if !common.samples.isEmpty, !common.isSecret {
        fields["samples"] = .list(common.samples.map { .string(JSONText.text($0)) })
      }
    }
    return .record(fields)
  }
}
