/// Detects writes to the source of a binding while a value read through the binding is being changed.
struct BindingMutation {
  private let observer = PhaseObserver(.observers, name: "a change through a binding")

  /// Reads the value to change.
  func read<Value>(_ get: () -> Value) -> Value {
    // The change isn't a read: code that makes it doesn't depend on the value.
    Node.withoutReader {
      guard let value = observer.read({ Optional(get()) }) else {
        trap("a binding has no value to change")
      }
      return value
    }
  }

  /// Traps if the source was written since `read`.
  func end() {
    if observer.isStale {
      let names = observer.dependencyNames.prefix(3).joined(separator: ", ")
      trap("\(names): written while it is being changed through a binding")
    }
    observer.cancel()
  }
}
