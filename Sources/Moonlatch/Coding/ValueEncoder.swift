import LuaRuntime

/// Turns what is Encodable into a plain value: a payload, what a capability gives.
///
/// Integers stay integers and doubles numbers; nil is left out of a record.
enum ValueEncoder {
  static func encode(_ value: some Encodable) throws -> Value {
    let node = EncodedNode()
    try node.put(value, at: [])
    return node.value
  }
}

/// A value that is being put together.
private final class EncodedNode {
  private enum Content {
    case single(Value)
    case list([EncodedNode])
    case record([String: EncodedNode])
    case map([Int: EncodedNode])
  }

  private var content = Content.single(.nil)

  var value: Value {
    switch content {
    case .single(let value): value
    case .list(let nodes): .list(nodes.map(\.value))
    case .record(let nodes): .record(nodes.mapValues(\.value).filter { !$0.value.isNil })
    case .map(let nodes): .map(nodes.mapValues(\.value).filter { !$0.value.isNil })
    }
  }

  func set(_ value: Value) { content = .single(value) }

  func beginRecord() {
    if case .record = content { return }
    content = .record([:])
  }

  func beginList() {
    if case .list = content { return }
    content = .list([])
  }

  var count: Int {
    if case .list(let nodes) = content { return nodes.count }
    return 0
  }

  func field(_ name: String) -> EncodedNode {
    let node = EncodedNode()
    if case .record(var nodes) = content {
      nodes[name] = node
      content = .record(nodes)
    }
    return node
  }

  func element() -> EncodedNode {
    let node = EncodedNode()
    if case .list(var nodes) = content {
      nodes.append(node)
      content = .list(nodes)
    }
    return node
  }

  func put(_ value: some Encodable, at path: [any CodingKey]) throws {
    if let plain = value as? any ValueConvertible {
      set(plain.value)
    } else if let map = value as? any IntegerKeyed {
      var nodes: [Int: EncodedNode] = [:]
      for (key, element) in map.entries {
        let node = EncodedNode()
        try node.put(element, at: path + [PlaceKey(intValue: key)])
        nodes[key] = node
      }
      content = .map(nodes)
    } else {
      try value.encode(to: PlaceEncoder(node: self, codingPath: path))
    }
  }
}

/// A dictionary that becomes a map with integer keys.
private protocol IntegerKeyed {
  var entries: [(Int, any Encodable)] { get }
}

extension Dictionary: IntegerKeyed where Key == Int, Value: Encodable {
  fileprivate var entries: [(Int, any Encodable)] { map { ($0.key, $0.value) } }
}

private struct PlaceEncoder: Encoder {
  let node: EncodedNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginRecord()
    return KeyedEncodingContainer(RecordEncoder(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginList()
    return ListEncoder(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleEncoder(node: node, codingPath: codingPath)
  }
}

private struct RecordEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodedNode
  let codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) {}

  func encode(_ value: some Encodable, forKey key: Key) throws {
    try node.field(key.stringValue).put(value, at: codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
    -> KeyedEncodingContainer<Nested>
  {
    encoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder(PlaceKey(stringValue: "super")) }

  func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

  private func encoder(_ key: any CodingKey) -> PlaceEncoder {
    PlaceEncoder(node: node.field(key.stringValue), codingPath: codingPath + [key])
  }
}

private struct ListEncoder: UnkeyedEncodingContainer {
  let node: EncodedNode
  let codingPath: [any CodingKey]
  var count: Int { node.count }

  func encodeNil() throws {
    throw EncodingError.invalidValue(
      Value.nil, .init(codingPath: codingPath + [place], debugDescription: "a list has no holes"))
  }

  func encode(_ value: some Encodable) throws {
    let path = codingPath + [place]
    try node.element().put(value, at: path)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type)
    -> KeyedEncodingContainer<Nested>
  {
    encoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder() }

  private var place: PlaceKey { PlaceKey(intValue: count) }

  private func encoder() -> PlaceEncoder {
    let path = codingPath + [place]
    return PlaceEncoder(node: node.element(), codingPath: path)
  }
}

private struct SingleEncoder: SingleValueEncodingContainer {
  let node: EncodedNode
  let codingPath: [any CodingKey]

  func encodeNil() { node.set(.nil) }
  func encode(_ value: some Encodable) throws {
    switch value {
    case let whole as any (BinaryInteger & Encodable): try encode(whole: whole)
    case let number as Float: node.set(.number(Double(number)))
    default: try node.put(value, at: codingPath)
    }
  }

  private func encode(whole value: some BinaryInteger & Encodable) throws {
    guard let integer = Int(exactly: value) else {
      throw EncodingError.invalidValue(
        value,
        .init(
          codingPath: codingPath, debugDescription: "\(value) does not fit into a 64-bit integer"))
    }
    node.set(.integer(integer))
  }
}
