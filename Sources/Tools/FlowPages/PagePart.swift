/// A part of a page that several pages share: one implementation of each, put together where a page is made.
package enum PagePart: Sendable, CaseIterable {
  /// Colours, and how trees, changes and drawings look.
  case base
  /// Elements and texts.
  case elements
  /// What a transition has changed.
  case changes
  /// A value as a tree.
  case tree
  /// Charts, laid out and drawn.
  case layout, arranging, chart
  /// A form made from the type of a payload.
  case form

  /// Its text.
  package var text: String {
    let bytes =
      switch self {
      case .base: PackageResources.base_css
      case .elements: PackageResources.elements_js
      case .changes: PackageResources.changes_js
      case .tree: PackageResources.tree_js
      case .layout: PackageResources.layout_js
      case .arranging: PackageResources.arranging_js
      case .chart: PackageResources.chart_js
      case .form: PackageResources.form_js
      }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The scripts of some parts, in their order.
  package static func scripts(_ parts: PagePart...) -> String {
    parts.map(\.text).joined(separator: "\n")
  }
}
