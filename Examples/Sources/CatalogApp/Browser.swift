import ControlFile
package import Signals

/// What the list is sorted by.
package enum SortField: String, Sendable {
  case name, size, section
}

/// What somebody looks at: the filter, the order, the open package.
///
/// Intents change it.
package final class Browser {
  /// The catalogue.
  package let store: Store
  @Signal var filter: ScalarText = ""
  /// Nil for all sections.
  @Signal var section: PackageSection? = nil
  @Signal var field: SortField = .name
  @Signal var order: SortDirection = .ascending
  @Signal var open: Package? = nil
  /// The package whose row gets the focus as soon as it is made: until then there is nothing that could have it.
  var landing: Package? = nil

  /// All packages.
  private let all: Results<Package>
  /// The packages that pass filter and section, in the chosen order.
  private(set) lazy var visible = Computed { [unowned self] in
    let needle = FoldedNeedle(filter.string)
    let section = section
    return sorted.value.where { package in
      (section == nil || package.section === section)
        && (needle.isEmpty || package.name.containsFoldingASCII(needle))
    }
  }
  /// All packages in the chosen order: kept while filters come and go.
  private(set) lazy var sorted = Computed { [unowned self] in
    switch field {
    case .name: all.sorted(by: \.name, order: order)
    case .size: all.sorted(by: \.name).sorted(by: \.size, order: order)
    case .section: all.sorted(by: \.name).sorted(by: \.section?.name, order: order)
    }
  }

  /// Opens the list of everything in a store.
  package init(_ store: Store) {
    self.store = store
    all = store.results(Package.self)
  }

  /// The package in the list that comes into the place of another when that goes: the next one, or the last that is left.
  func neighbor(of name: ScalarText) -> Package? {
    let visible = visible.value
    guard let place = visible.firstIndex(where: { $0.name == name }) else { return visible.first }
    return place + 1 < visible.count ? visible[place + 1] : place > 0 ? visible[place - 1] : nil
  }
}
