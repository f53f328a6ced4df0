import ArgumentParser
import Platform
import Scenarios

/// The option `--shard`, for all commands.
extension Shard {
  /// Parses `2/5` or `auto`.
  init(option text: String) throws {
    if text == "auto" {
      do {
        let shard = try Shard.automatic { Environment[$0] }
        Shard.support()
        self = shard
        return
      } catch {
        throw ValidationError("\(error).")
      }
    }
    guard let shard = Shard(text) else {
      throw ValidationError(
        "--shard must be a part such as 2/5, or auto; not \"\(text)\".")
    }
    self = shard
  }

  /// Returns the message about the part.
  func line(planned: Int, of selected: Int) -> String {
    let source = source.map { " (\($0))" } ?? ""
    return "shard \(index)/\(total)\(source): \(planned) of \(selected)\n"
  }

  /// Touches the file by which a test runner tells Bazel that it supports shards.
  private static func support() {
    guard let path = Environment["TEST_SHARD_STATUS_FILE"] else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0o644)
    if descriptor >= 0 { close(descriptor) }
  }
}
