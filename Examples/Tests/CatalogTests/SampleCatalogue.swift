import CatalogApp
import ControlFile
import Signals

extension Store {
  /// Loads three packages: one that needs the others and what is missing, one that is held, one of no size.
  func loadSample() throws {
    let file = """
      Package: apt
      Version: 2.6
      Section: admin
      Installed-Size: 40
      Maintainer: Deity
      Depends: libc6 (>= 2.34), gpgv | gpgv2, missing

      Package: libc6
      Version: 2.36
      Section: libs
      Installed-Size: 120
      Maintainer: Glibc
      Status: hold ok installed

      Package: gpgv2
      Version: 2.2
      Section: admin
      Depends: libc6
      """
    try load(ControlFile(parsing: Array(file.utf8).span))
  }
}
