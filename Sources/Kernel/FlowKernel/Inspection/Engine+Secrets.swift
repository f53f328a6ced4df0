import FlowLanguage
import LuaRuntime

/// Registers the secrets of the state, so that they are hidden in texts of scripts.
extension Engine {
  /// Registers the secrets in the whole state.
  package func noteSecretsOfState() {
    guard let secretTexts, let secrets = flow.secrets, let state = try? vm.state() else { return }
    _ = secrets.hiding(state, at: StatePath([]), secretTexts.note)
  }

  /// Registers the secrets in a part that is merged into the state.
  package func noteSecrets(given part: Value) {
    guard let secretTexts, let secrets = flow.secrets else { return }
    _ = secrets.hiding(part, at: StatePath([]), secretTexts.note)
  }

  /// Registers the secrets in the new values of a patch.
  package func noteSecrets(in patch: Patch, _ texts: SecretTexts) {
    for change in patch.changes {
      _ = flow.secrets?.hiding(change.new, at: change.path, texts.note)
    }
  }

  /// Returns a text with dots in place of the registered secrets.
  package func hidingSecrets(in text: String) -> String {
    secretTexts?.hiding(in: text) ?? text
  }
}
