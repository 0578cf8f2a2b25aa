// A debug-build warning about a `Computed` in `@State` that was made from an input of the view.

/// A computed of any type.
protocol ComparableComputed: AnyObject {
  /// Whether another computed of the same type has a different value, if values can be compared and
  /// this one was evaluated.
  func differs(from other: AnyObject) -> Bool
}

extension Computed: ComparableComputed {
  func differs(from other: AnyObject) -> Bool {
    // Code that the app doesn't run must not be run for a warning.
    guard let other = other as? Computed, other !== self, isUpToDate else { return false }
    guard let value = peek() as? any Equatable else { return false }
    return !Computed.isEqual(value, other.peek())
  }

  private static func isEqual<Other: Equatable>(_ value: Other, _ other: Any) -> Bool {
    (other as? Other).map { ValueEquality.areEqual(value, $0) } ?? false
  }
}

#if DEBUG
  /// Warns that a view keeps the computed that was made from its first inputs.
  enum KeptComputed {
    /// Compares the kept computed with the one that the view has been made with now.
    static func check<Value>(_ kept: Signal<Value>, against initial: Value, named name: String) {
      guard Value.self is any ComparableComputed.Type || Value.self is any OptionalComputed.Type
      else { return }
      Node.withoutReader {
        guard let old = computed(in: kept.peek()), let new = computed(in: initial),
          old.differs(from: new), Warned.first(kept)
        else { return }
        DebugWarnings.write(
          """
          \(name) keeps the Computed of the view's first inputs, and one of the present inputs has \
          another value: make it in the body, or from a state, an object or a binding
          """)
      }
    }

    private static func computed(in value: Any) -> (any ComparableComputed)? {
      if let optional = value as? any OptionalComputed { return optional.computed }
      return value as? any ComparableComputed
    }

    /// The states that were warned about, so that each is named once.
    private enum Warned: ThreadContextKey {
      static var defaultValue: [ObjectIdentifier: Reference] { [:] }

      // Weak, since another state may be at the address of one that was released.
      struct Reference { weak var state: AnyObject? }

      static func first(_ state: AnyObject) -> Bool {
        let former = ThreadContext[Warned.self]
          .updateValue(Reference(state: state), forKey: ObjectIdentifier(state))
        return former?.state == nil
      }
    }
  }

  private protocol OptionalComputed { var computed: (any ComparableComputed)? { get } }

  extension Optional: OptionalComputed where Wrapped: ComparableComputed {
    fileprivate var computed: (any ComparableComputed)? { self }
  }
#endif
