import MoonlatchCLI

/// The entry of the program `moonlatch`; its commands are a module of their own, which `moonlatch-serve` links too.
@main
enum Main {
  static func main() { MoonlatchProgram.main() }
}
