import Signals
package import SignalsSync

extension Library {
  /// The version of the classes, for a file.
  package static let version = 1

  /// What leads from the file of an earlier version to the present classes.
  package static var migrations: [Int: (Migration) throws -> Void] {
    [
      // Loans weren't counted. A book that is out was lent once at least.
      1: { migration in
        for member in migration.objects(Member.self) {
          for book in member.borrowed { book.loans = 1 }
        }
      }
    ]
  }
}
