import FlowLanguage
import StateCharts

extension Flow {
  /// The actions that each effect follows, by the effect's number.
  var causesOfEffects: [Int: [Action]] {
    var causes: [Int: [Action]] = [:]
    for action in actions {
      for effect in action.effects { causes[effect, default: []].append(action) }
    }
    return causes
  }
}
