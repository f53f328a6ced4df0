import FlowKernel
import LuaRuntime

extension Result where Success == Value, Failure == ViewError {
  package func decoded<Element: Decodable>(of view: String) -> Result<Element, ViewError> {
    flatMap { value in
      do throws(ViewError) {
        return .success(try ViewError.decode(Element.self, from: value, of: view))
      } catch {
        return .failure(error)
      }
    }
  }
}

extension Result where Success == Value, Failure == DispatchFailure {
  /// Encodes a payload; one that cannot be encoded is a failure of kind `payload`.
  package init(encoding payload: some Encodable, for action: String) {
    do {
      self = .success(try ValueEncoder.encode(payload))
    } catch {
      let why = CodingSentence.describe(error)
      self = .failure(
        DispatchFailure(
          kind: .payload, action: action,
          message: "action \(action): the payload cannot be encoded: \(why)"))
    }
  }
}
