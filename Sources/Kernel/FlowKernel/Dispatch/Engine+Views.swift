import FlowLanguage
import LuaRuntime

/// The values of views.
extension Engine {
  /// Returns the value of a view, which is computed only if something that it has read changed.
  package func view(_ name: String) throws(ViewError) -> Value {
    try value(of: reader(of: name))
  }

  package func reader(of name: String) throws(ViewError) -> FlowReader {
    guard let view = flow.view(named: name) else {
      throw .undeclared(
        "there is no view \(name)"
          + Names.suggestion(for: name, among: flow.views.map(\.function.name)))
    }
    return view
  }

  package func value(of view: FlowReader) throws(ViewError) -> Value {
    try sizedValue(of: view).value
  }

  /// Returns the value of a view and its approximate size in bytes, which is at most that of a state.
  private func sizedValue(
    of view: FlowReader
  ) throws(ViewError) -> (value: Value, size: Int) {
    do {
      return try vm.viewValue(view.number, budget: budget, most: mostPerView)
    } catch {
      throw .failed(error)
    }
  }

  var mostPerView: Int { limits.state > 0 ? limits.state : .max }

  /// Returns the value of a view with subscribers, which is stored beside the values of other views.
  ///
  /// - Parameter others: the size of the other values, in bytes; it is a failure if both together are over the limit.
  package func watchedValue(
    of view: FlowReader, others: Int
  ) -> Result<(value: Value, size: Int), ViewError> {
    do throws(ViewError) {
      let sized = try sizedValue(of: view)
      guard others + sized.size <= limits.retained else {
        throw .failed(
          ScriptError(
            .limit, excess("the value of view.\(view.function.name)"), at: view.function.place))
      }
      return .success(sized)
    } catch {
      return .failure(error)
    }
  }

  /// Takes over the subscriptions of the engine that this one replaces.
  ///
  /// Subscribers of views that are gone receive an error.
  package func adopt(_ others: Subscriptions) {
    vm.beginWorkApart(.view, budget: budget)
    defer { vm.endWork() }
    observers.subscriptions = others
    observers.subscriptions.rebind { flow.view(named: $0) }
    observers.subscriptions.collect { watchedValue(of: $0, others: $1) }
  }

  /// Returns the number of times that a view has run.
  package func runs(ofView name: String) throws(ViewError) -> Int {
    vm.runs(of: try reader(of: name).number)
  }
}
