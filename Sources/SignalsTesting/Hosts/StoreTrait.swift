public import Signals
public import Testing

/// The initial contents of a test's stores.
///
/// Applied to a suite, it sets those of each of its tests.
///
/// The contents of suites are added first, then those of the test. Each call of `Store.forTest()`
/// creates a new store, so that tests that run in parallel share nothing.
///
/// ```swift
/// @Suite(.store { try $0.add(Book.samples) }) struct Shelves {
///   @Test func `books are shown`() throws {
///     let app = try TestHost(.forTest()) { Shelf() }
/// ```
public struct StoreContents: SuiteTrait, TestTrait, TestScoping {
  @TaskLocal fileprivate static var all: [StoreContents] = []

  fileprivate let add: @Sendable (Store) throws -> Void

  /// Always true: the trait applies to each test of a suite.
  public var isRecursive: Bool { true }

  /// Runs a test with these contents added to those of enclosing suites.
  ///
  /// - Parameters:
  ///   - test: The test.
  ///   - testCase: The case of a test with arguments; nil for a suite.
  ///   - function: Runs the test.
  /// - Throws: The error of the test.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await Self.$all.withValue(Self.all + [self]) { try await function() }
  }
}

extension Trait where Self == StoreContents {
  /// Sets the initial contents of a test's stores, which are added as one commit that can't be
  /// undone.
  ///
  /// - Parameter contents: Adds the objects. It runs once for each store.
  /// - Returns: The trait.
  public static func store(
    _ contents: @escaping @Sendable (Store) throws -> Void
  ) -> StoreContents { StoreContents(add: contents) }
}

extension Store {
  /// Creates a store with the contents that the traits of the test and its suites set.
  ///
  /// - Parameter undoLimit: The maximum number of steps in the store's undo history.
  /// - Returns: The store, with an empty undo history.
  /// - Throws: The errors of the traits' closures.
  public static func forTest(undoLimit: Int = 100) throws -> Store {
    let store = Store(undoLimit: undoLimit)
    for contents in StoreContents.all {
      try store.write(undoable: false) { try contents.add(store) }
    }
    return store
  }
}
