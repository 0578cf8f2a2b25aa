public import Signals
public import Testing

/// What the stores of a test have to begin with; applied to a suite, of each of its tests.
///
/// Those of suites come first, then those of the test. `Store.forTest()` makes such a store, a new
/// one each time, so that tests beside each other share nothing.
///
/// ```swift
/// @Suite(.store { try $0.add(Book.samples) }) struct Shelves {
///   @Test func `books are shown`() throws {
///     let app = try TestHost(.forTest()) { Shelf() }
/// ```
public struct StoreContents: SuiteTrait, TestTrait, TestScoping {
  @TaskLocal fileprivate static var all: [StoreContents] = []

  fileprivate let add: @Sendable (Store) throws -> Void

  /// It applies to each test of a suite.
  public var isRecursive: Bool { true }

  /// Runs a test whose stores have these contents, too.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await Self.$all.withValue(Self.all + [self]) { try await function() }
  }
}

extension Trait where Self == StoreContents {
  /// What the stores of a test have to begin with, added as one commit that can't be undone.
  public static func store(
    _ contents: @escaping @Sendable (Store) throws -> Void
  ) -> StoreContents { StoreContents(add: contents) }
}

extension Store {
  /// A new store, with what the traits of the test and its suites say.
  ///
  /// Throws what they do.
  public static func forTest(undoLimit: Int = 100) throws -> Store {
    let store = Store(undoLimit: undoLimit)
    for contents in StoreContents.all {
      try store.write(undoable: false) { try contents.add(store) }
    }
    return store
  }
}
