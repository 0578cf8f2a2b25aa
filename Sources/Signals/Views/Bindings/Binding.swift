/// A two-way connection to a value kept elsewhere: reads and writes go there.
///
/// A write to a property of a stored object is part of the transaction under way, or one of its own;
/// writing an equal value does nothing. After the object was deleted a binding reads its last value.
///
/// ```swift
/// TextField("Title", text: $book.title, id: "title")
/// ```
@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value> {
  let get: () -> Value
  let set: (Value) -> Void
  /// What the binding leads to, if that is known: bindings of one origin are the same input of a view.
  let origin: BindingOrigin?
  /// What is wrong with the value, as a form shows it; nil if nobody checks it.
  private(set) var check: (() -> [String])? = nil

  /// What is wrong with the value, to be shown beside it; see ``DraftObject``.
  public var errors: [String] { check?() ?? [] }

  /// Creates a binding from a getter and a setter.
  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
    self.init(origin: nil, get: get, set: set)
  }

  init(origin: BindingOrigin?, get: @escaping () -> Value, set: @escaping (Value) -> Void) {
    self.origin = origin
    self.get = get
    self.set = set
  }

  /// The same binding, with what is wrong with its value.
  ///
  /// Elements show it beside the field; it is evaluated in the body, and what it reads are dependencies.
  public func checked(_ check: @escaping () -> [String]) -> Binding {
    var copy = self
    copy.check = check
    return copy
  }

  /// A binding whose value never changes: what is written is dropped.
  public static func constant(_ value: Value) -> Binding { Binding(get: { value }, set: { _ in }) }

  /// The value.
  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  /// The binding itself.
  public var projectedValue: Binding { self }

  /// A binding to a member of the value.
  public subscript<Member>(
    dynamicMember path: WritableKeyPath<Value, Member>
  ) -> Binding<Member> {
    Binding<Member>(
      origin: origin?.member(path), get: { get()[keyPath: path] },
      set: { new in
        // A member of an object is written there; whoever refers to the object is not.
        if let path = path as? ReferenceWritableKeyPath<Value, Member> {
          get()[keyPath: path] = new
          return
        }
        var value = get()
        value[keyPath: path] = new
        set(value)
      })
  }
}

extension Binding: ComparableInput {
  func isSameInput(as other: Binding) -> Bool { origin != nil && origin == other.origin }
}

/// The object that a binding writes to, and the way from there.
struct BindingOrigin: Equatable {
  let object: AnyObject
  /// Key paths, and keys of elements.
  private var path: [AnyHashable] = []

  init(_ object: AnyObject) { self.object = object }

  func member(_ path: some Hashable) -> BindingOrigin {
    var origin = self
    origin.path.append(AnyHashable(path))
    return origin
  }

  static func == (lhs: BindingOrigin, rhs: BindingOrigin) -> Bool {
    lhs.object === rhs.object && lhs.path == rhs.path
  }
}

extension Signal {
  /// A two-way connection to the signal.
  public var binding: Binding<Value> {
    Binding(origin: BindingOrigin(self), get: { self.value }, set: { self.value = $0 })
  }
}
