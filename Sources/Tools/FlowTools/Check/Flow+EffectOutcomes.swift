import FlowLanguage
import StateCharts

extension Flow {
  /// For each effect the actions that it follows, by its number.
  var causesOfEffects: [Int: [Action]] {
    var causes: [Int: [Action]] = [:]
    for action in actions {
      for effect in action.effects { causes[effect, default: []].append(action) }
    }
    return causes
  }
}
