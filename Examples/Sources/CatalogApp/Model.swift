package import ControlFile
package import Signals

/// A package of the database, with live links to what it needs and what needs it.
package final class Package: Object {
  @PrimaryKey package var name: ScalarText = ""
  @Field package var version: ScalarText = "-"
  @Field package var size = 0
  @Field package var isHeld = false
  @Link package var section: PackageSection?
  @Link package var maintainer: Maintainer?
  /// The packages present that one of its dependencies can be satisfied by.
  @Links package var dependencies: List<Package>
  /// The dependencies that nothing present satisfied when the file was loaded.
  @Field package var unresolved: [ScalarText] = []
  @Inverse(\Package.dependencies) package var dependents
}

/// A section of the database; it stays when its last package is removed.
package final class PackageSection: Object {
  @PrimaryKey package var name: ScalarText = ""
  @Inverse(\Package.section) package var packages
}

/// Who looks after packages.
package final class Maintainer: Object {
  @PrimaryKey package var name: ScalarText = ""
  @Inverse(\Package.maintainer) package var packages
}

extension Store {
  /// Loads the packages of a control file as one commit that can't be undone.
  package func load(_ file: ControlFile) throws {
    try write(undoable: false) {
      var sections: [ScalarText: PackageSection] = [:]
      var maintainers: [ScalarText: Maintainer] = [:]
      let packages = file.packages.map { stanza in
        let package = Package()
        package.name = stanza.name
        package.version = stanza.version
        package.size = stanza.installedSize
        package.isHeld = stanza.isHeld
        package.section = sections.value(for: stanza.section) {
          let section = PackageSection()
          section.name = stanza.section
          return section
        }
        package.maintainer = maintainers.value(for: stanza.maintainer) {
          let maintainer = Maintainer()
          maintainer.name = stanza.maintainer
          return maintainer
        }
        return package
      }
      for (package, resolved) in zip(packages, file.resolvedDependencies()) {
        package.dependencies = List(resolved.links.map { packages[$0] })
        package.unresolved = resolved.unresolved
      }
      try add(packages)
    }
  }
}

extension Dictionary {
  /// The value of a key, made and kept if there is none.
  fileprivate mutating func value(for key: Key, _ make: () -> Value) -> Value {
    if let value = self[key] { return value }
    let value = make()
    self[key] = value
    return value
  }
}
