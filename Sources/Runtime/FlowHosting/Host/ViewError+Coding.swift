import FlowKernel
import LuaRuntime

extension ViewError {
  package static func decode<Element: Decodable>(
    _ type: Element.Type, from value: Value, of view: String
  ) throws(ViewError) -> Element {
    do {
      return try ValueDecoder.decode(type, from: value)
    } catch {
      throw .mismatch("view \(view) is not of type \(type): \(CodingSentence.describe(error))")
    }
  }
}
