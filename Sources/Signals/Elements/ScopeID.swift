/// Identifies a scope within its host; ids are never reused.
public struct ScopeID: Hashable, Comparable, Sendable {
  let number: UInt64

  /// Orders scopes by creation.
  public static func < (lhs: ScopeID, rhs: ScopeID) -> Bool { lhs.number < rhs.number }
}
