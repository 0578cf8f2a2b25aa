/// A mutable part of the state of an operator's subscription.
///
/// Each access is a single load or store and is never open while other code runs. So exclusivity
/// holds by construction and isn't checked. The same is true of all state in this folder that is
/// declared `@safe @exclusivity(unchecked)`: a place is read or written as a whole, an array or a
/// ``Queue`` in it is changed by a call that runs no code of users, and what it held is released
/// after the access, from a variable. Nothing of it is reached from two isolation domains, because
/// the classes that hold it aren't Sendable.
@usableFromInline
final class UncheckedState<Value> {
  @safe @exclusivity(unchecked) @usableFromInline var value: Value

  @inlinable
  init(_ value: Value) { self.value = value }
}
