public import Signals

/// A rule that decides who may read a partition.
///
/// Without such a rule, everybody may read every partition. With several, each must agree. The rules
/// are asked when a replica joins, and again when an object that they have read changes. A user who
/// has lost the right gets nothing further, and pending commits of the user are refused.
///
/// The store has the objects of the partition, and of others that replicas have joined. A partition
/// with objects that a right depends on isn't closed.
public struct MayRead {
  /// Throws the reason if a user may not read a partition, given the store of the server.
  public typealias Check = (_ user: String, _ partition: String, _ store: Store) throws -> Void

  let check: Check

  /// Creates a rule.
  ///
  /// - Parameter check: Throws the reason if a user may not read a partition.
  public init(_ check: @escaping Check) { self.check = check }
}

/// A rule that decides who may change objects of a class.
///
/// It is asked for each change that a replica submits, after the change was made and before triggers.
/// The whole submission is refused if a rule throws.
public struct MayWrite<Root: Object> {
  let body: (TypedChange<Root>, String) throws -> Void

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - body: Called with a change and the user. It throws the reason if the user may not make it.
  public init(
    _ type: Root.Type,
    _ body: @escaping (_ change: TypedChange<Root>, _ user: String) throws -> Void
  ) {
    self.body = body
  }
}

/// A trigger, which writes to the store of the server after a change.
///
/// Its writes are part of the same fact. It isn't called for changes made by triggers.
public struct After<Root: Object> {
  let body: (TypedChange<Root>, Store) throws -> Void

  /// Creates a trigger.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - body: Called with a change and the store. If it throws, the submission is refused.
  public init(
    _ type: Root.Type,
    _ body: @escaping (_ change: TypedChange<Root>, _ store: Store) throws -> Void
  ) {
    self.body = body
  }
}

/// The rules and triggers of a ``SyncServer``.
public struct SyncRules {
  typealias Check = (ChangeSet, Store, String) throws -> Void

  /// No rules: everybody may read and write everything.
  public static var none: SyncRules { SyncRules() }

  var reads: [MayRead] = []
  var writes: [Check] = []
  var triggers: [Check] = []

  /// Throws the reason if a user may not read a partition.
  func checkRead(of partition: Partition, by user: String, in store: Store) throws {
    for rule in reads { try rule.check(user, partition.name, store) }
  }
}

/// Builds the rules of a server from ``MayRead``, ``MayWrite`` and ``After``.
@resultBuilder
public enum SyncRulesBuilder {
  /// Accepts a rule about reading.
  public static func buildExpression(_ rule: MayRead) -> SyncRules { SyncRules(reads: [rule]) }

  /// Accepts a rule about writing.
  public static func buildExpression<Root: Object>(_ rule: MayWrite<Root>) -> SyncRules {
    SyncRules(writes: [
      { changes, store, user in
        for change in changes.changes(of: Root.self, in: store) { try rule.body(change, user) }
      }
    ])
  }

  /// Accepts a trigger.
  public static func buildExpression<Root: Object>(_ trigger: After<Root>) -> SyncRules {
    SyncRules(triggers: [
      { changes, store, _ in
        for change in changes.changes(of: Root.self, in: store) { try trigger.body(change, store) }
      }
    ])
  }

  /// Accepts rules that were built elsewhere.
  public static func buildExpression(_ rules: SyncRules) -> SyncRules { rules }

  /// Combines the rules of a block.
  public static func buildBlock(_ rules: SyncRules...) -> SyncRules {
    rules.reduce(into: SyncRules()) { all, next in
      all.reads += next.reads
      all.writes += next.writes
      all.triggers += next.triggers
    }
  }
}
