import FlowLanguage
import LuaRuntime

/// Notes the secrets of the state, so that they are hidden in texts of scripts.
extension Engine {
  /// Notes the secrets in the whole state.
  package func noteSecretsOfState() {
    guard let secretTexts, let secrets = flow.secrets, let state = try? vm.state() else { return }
    _ = secrets.hiding(state, at: StatePath([]), secretTexts.note)
  }

  /// Notes the secrets that a part of the state has been given.
  package func noteSecrets(given part: Value) {
    guard let secretTexts, let secrets = flow.secrets else { return }
    _ = secrets.hiding(part, at: StatePath([]), secretTexts.note)
  }

  /// Notes the secrets in what changes.
  package func noteSecrets(in patch: Patch, _ texts: SecretTexts) {
    for change in patch.changes {
      _ = flow.secrets?.hiding(change.new, at: change.path, texts.note)
    }
  }

  /// A text with dots in place of the secrets that are known of.
  package func hidingSecrets(in text: String) -> String {
    secretTexts?.hiding(in: text) ?? text
  }
}
