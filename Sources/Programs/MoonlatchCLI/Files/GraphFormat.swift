import ArgumentParser

/// The formats in which `moonlatch graph` draws a flow.
enum GraphFormat: String, ExpressibleByArgument, CaseIterable {
  case dot, mermaid, svg, png, pdf, scxml, xstate
}
