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
