import LuaRuntime

/// A field of a payload, whose name implies its type.
struct PayloadField {
  let name: String
  let type: String
}

extension FlowDrawing {
  private typealias Sample = (field: PayloadField, values: [Value])

  /// Draws the fields of an action, and payloads that it accepts.
  mutating func drawPayload(of action: inout Action) {
    let all: [Sample] = options.isFinite ? FlowDrawing.finiteFields : FlowDrawing.anyFields
    let drawn = draw.some(draw.from(0, to: 2), of: all)
    action.fields = drawn.map(\.field)
    if options.isFinite {
      action.payloads = drawn.reduce([[:]]) { payloads, sample in
        payloads.flatMap { payload in
          sample.values.map { FlowDrawing.adding($0, as: sample.field.name, to: payload) }
        }
      }
      return
    }
    action.payloads = (0..<4).map { _ in
      drawn.reduce([:]) { payload, sample in
        FlowDrawing.adding(
          draw.one(of: sample.values) ?? .nil, as: sample.field.name, to: payload)
      }
    }
  }

  private static func adding(_ value: Value, as name: String, to payload: Value) -> Value {
    if value.isNil { return payload }
    var fields = payload.recordValue ?? [:]
    fields[name] = value
    return .record(fields)
  }

  private static let finiteFields: [Sample] = [
    (PayloadField(name: "flag", type: "boolean"), [true, false]),
    (PayloadField(name: "n", type: "integer { min = 0, max = 2 }"), [0, 1, 2]),
    (PayloadField(name: "mode", type: "one_of { \"x\", \"y\" }"), ["x", "y"]),
    (PayloadField(name: "id", type: "one_of { \"k1\", \"k2\" }"), ["k1", "k2"]),
    (PayloadField(name: "maybe", type: "optional(integer { min = 1, max = 2 })"), [.nil, 1, 2]),
    (PayloadField(name: "who", type: "string { default = \"me\", max_length = 5 }"), [.nil]),
  ]

  private static let anyFields: [Sample] = [
    (PayloadField(name: "flag", type: "boolean"), [true, false]),
    (PayloadField(name: "n", type: "integer { min = 0, max = 3 }"), [0, 1, 2, 3]),
    (PayloadField(name: "mode", type: "one_of { \"x\", \"y\", \"z\" }"), ["x", "y", "z"]),
    (
      PayloadField(name: "id", type: "string { pattern = \"^k%d$\" }"),
      ["k1", "k2", "k3", "k4"]
    ),
    (PayloadField(name: "text", type: "string { max_length = 5 }"), ["", "a", "bcd", "four5"]),
    (PayloadField(name: "x", type: "number { min = 0 }"), [0, 0.25, 3, 1e9]),
    (PayloadField(name: "maybe", type: "optional(integer { min = 1 })"), [.nil, 1, 2, 900]),
    (
      PayloadField(name: "many", type: "list_of { integer, max_length = 3 }"),
      [[], [4], [3, 1, 2]]
    ),
  ]
}
