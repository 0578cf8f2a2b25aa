/// A mutable part of the state of an operator's subscription.
///
/// Each access is a single load or store and is never open while other code runs. So exclusivity
/// holds by construction and isn't checked.
@usableFromInline
final class UncheckedState<Value> {
  @safe @exclusivity(unchecked) @usableFromInline var value: Value

  @inlinable
  init(_ value: Value) { self.value = value }
}
