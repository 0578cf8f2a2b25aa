// Conversions between types that are proved equal where they are called, in release without a
// check. Debug builds check them.

/// Returns a value as one of another type, which is the same type.
///
/// The caller has compared the types, for example in `case is Int.Type`, and the compiler doesn't
/// draw the conclusion.
@inline(__always)
func identityCast<Value, Known>(_ value: Value, to type: Known.Type) -> Known {
  assert(Value.self == Known.self)
  return unsafe unsafeBitCast(value, to: type)
}

/// Returns an instance as one of its class.
///
/// The instance has been made as one of that class, or is in a collection of such instances.
@inline(__always)
func knownDowncast<Instance: AnyObject>(_ object: AnyObject, to type: Instance.Type) -> Instance {
  // Checks the class in debug builds.
  unsafe unsafeDowncast(object, to: type)
}
