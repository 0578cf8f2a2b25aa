/// A slot that drops the values which a body, or a row, didn't use.
protocol PerBodyViewSlot: AnyObject {
  /// Called before rows inside of the view are evaluated.
  func begin(_ rows: Scope)
  /// Called after the body, or the rows, have run: drops unused values, and returns whether it
  /// keeps any for the scope.
  func finish(_ scope: Scope) -> Bool
  /// Drops the values of rows that have left the screen.
  func forget(_ rows: ScopeID)
  /// Drops everything, because the view has left the screen.
  func end()
  /// Whether the slot's own live results have a source of rows.
  func presents(_ source: AnyObject) -> Bool
}

extension PerBodyViewSlot {
  func presents(_ source: AnyObject) -> Bool { false }
}
