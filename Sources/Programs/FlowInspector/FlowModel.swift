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
