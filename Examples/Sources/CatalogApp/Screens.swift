import ControlFile
package import Signals

/// The whole screen: the list, or the package that is open.
package struct CatalogScreen: View {
  private let browser: Browser

  /// Shows what somebody looks at.
  package init(_ browser: Browser) { self.browser = browser }

  /// What the view shows.
  package var body: Element {
    if let package = browser.open {
      PackageScreen(package: package)
    } else {
      PackageList(browser: browser)
    }
  }
}

/// The first packages of the list, under a line that says what it shows.
struct PackageList: View {
  let browser: Browser

  var body: Element {
    let visible = browser.visible.value
    Text(
      "\(visible.count) of \(browser.sorted.value.count) packages | section: \(browser.section?.name ?? "all")"
        + " | filter: \"\(browser.filter)\""
        + " | sort: \(browser.field) \(browser.order == .ascending ? "asc" : "desc")")
    ForEach(visible.limit(20)) { package in
      Text(
        "\(package.name)  \(package.version)  \(package.size) KiB  \(package.section?.name ?? "-")"
          + (package.isHeld ? " [held]" : ""))
    }
  }
}

/// Everything about one package, in parts that change by themselves.
struct PackageScreen: View {
  let package: Package

  var body: Element {
    PackageFacts(package: package)
    HeldLine(package: package)
    Names(title: "depends", package: package) { $0.dependencies.map(\.name) }.id("depends")
    Names(title: "unresolved", package: package) { $0.unresolved }.id("unresolved")
    Names(title: "required by", package: package) { $0.dependents.map(\.name) }.id("required by")
  }
}

struct PackageFacts: View {
  @ObservedObject var package: Package

  var body: Element {
    Text("\(package.name) \(package.version)")
    Text("section: \(package.section?.name ?? "-")")
    Text("size: \(package.size) KiB")
    Text("maintainer: \(package.maintainer?.name ?? "-")")
  }
}

struct HeldLine: View {
  @ObservedObject var package: Package

  var body: Element {
    Text("held: \(package.isHeld ? "yes" : "no")")
  }
}

/// A list of names, sorted, after their number.
struct Names: View {
  let title: String
  @ObservedObject var package: Package
  let names: (Package) -> [ScalarText]

  var body: Element {
    let names = names(package)
    let list = names.isEmpty ? "" : " " + names.sorted().map(\.string).joined(separator: ", ")
    Text("\(title) (\(names.count)):\(list)")
  }
}
