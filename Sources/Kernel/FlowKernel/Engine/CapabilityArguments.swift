import LuaRuntime

/// Reads the arguments of a capability as the types of its parameters.
package struct ArgumentReader<each Argument: Decodable & Sendable>: Sendable {
  /// The names of the parameters; empty if they were not given.
  package let parameters: [String]

  package init(parameters: [String]) {
    self.parameters = parameters
  }

  package func callAsFunction(_ values: [Value]) throws -> (repeat each Argument) {
    var arguments = CapabilityArguments(values: values, parameters: parameters)
    let read = (repeat try arguments.next((each Argument).self))
    try arguments.finish()
    return read
  }

  /// Returns the fault in the names of the parameters; nil if there is none.
  package func fault(of name: String) -> String? {
    var count = 0
    for type in repeat (each Argument).self { count += type == CallID.self ? 0 : 1 }
    guard !parameters.isEmpty, parameters.count != count else { return nil }
    return "\(name) takes \(CapabilityArguments.count(count)), and the names of its parameters are "
      + "\(parameters.count): \(parameters.joined(separator: ", "))"
  }
}

/// A capability's arguments, one after the other.
private struct CapabilityArguments {
  let values: [Value]
  let parameters: [String]
  private var position = 0

  struct Mismatch: Error, CustomStringConvertible {
    package let description: String
  }

  init(values: [Value], parameters: [String]) {
    (self.values, self.parameters) = (values, parameters)
  }

  mutating func next<Argument: Decodable>(_ type: Argument.Type) throws(Mismatch)
    -> Argument
  {
    if let id = CallID.currentWork as? Argument, type == CallID.self { return id }
    let value = position < values.count ? values[position] : .nil
    position += 1
    if let plain = type as? any ValueConvertible.Type {
      // In two steps: an optional that reads as nil is an argument; only a value that cannot be read is a mismatch.
      if let read = plain.init(value), let argument = read as? Argument { return argument }
      throw Mismatch(
        description: "\(title) must be \(plain.valueKind), got \(value.text(limit: 60))")
    }
    do {
      return try ValueDecoder.decode(type, from: value)
    } catch {
      throw Mismatch(
        description: "\(title) is not of type \(type): \(CodingSentence.describe(error))")
    }
  }

  /// The title of the last argument read: `argument 2`, or `cents (argument 2)` if its parameter has a name.
  private var title: String {
    parameters.indices.contains(position - 1)
      ? "\(parameters[position - 1]) (argument \(position))" : "argument \(position)"
  }

  /// Throws if there are more arguments than were read; nils at the end do not count.
  func finish() throws(Mismatch) {
    guard let surplus = values.indices.last(where: { !values[$0].isNil }), surplus >= position
    else { return }
    throw Mismatch(
      description: "it takes \(CapabilityArguments.count(position)), and argument \(position + 1) "
        + "is \(values[position].text(limit: 60))")
  }

  static func count(_ number: Int) -> String {
    switch number {
    case 0: "no arguments"
    case 1: "one argument"
    default: "\(number) arguments"
    }
  }
}
