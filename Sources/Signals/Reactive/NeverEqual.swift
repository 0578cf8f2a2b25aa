/// Compares all values as unequal, so that every write or evaluation counts as a change.
///
/// ```swift
/// let taps = Signal((), isEqual: neverEqual)
/// ```
///
/// - Parameters:
///   - old: The value before.
///   - new: The value after.
/// - Returns: Always false.
public func neverEqual<Value>(_ old: Value, _ new: Value) -> Bool { false }
