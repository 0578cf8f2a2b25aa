// How much work a write needs. `Object.changeContext(of:)` decides it for each write of a property: for
// the setter (Object+Access.swift), for `replace` (PropertyStorage.swift), and for a change in place
// (PropertyMutation.swift).

/// The handling that a write needs.
@usableFromInline
enum ChangeContext {
  /// Nothing can observe, refuse, undo or capture the write, no transaction is open, and the current code
  /// may write.
  case none
  /// Nothing can observe or refuse the write, but it can be undone or is captured.
  ///
  /// It is a separate commit, recorded without a transaction.
  case quiet
  /// The write has readers or needs a transaction.
  case full
}

extension Object {
  /// The handling that the write of a property with this role needs.
  @inlinable
  @inline(__always)
  final func changeContext(of role: PropertyRole) -> ChangeContext {
    guard propertyNodes == nil else { return .full }
    guard let membership else { return .none }
    guard role == .field else { return .full }
    return membership.withInstance { $0.withStore { $0.changeContext } }
  }
}

extension Store {
  /// The handling that the write of a field without readers needs.
  ///
  /// The getter is declared read-only, because otherwise the writer retains the object for the
  /// call.
  @usableFromInline var changeContext: ChangeContext {
    @_effects(readonly) get {
      if Node.isPure { return .full }
      if Scheduler.present?.pointee.implicitTransaction ?? ImplicitTransaction.none >= 0 {
        return .full
      }
      if fullWriteReasons > 0 { return .full }
      if !keepsWrites { return .none }
      return history.isObserved ? .full : .quiet
    }
  }
}
