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
  private(set) var check: (any BindingCheck)?

  /// What is wrong with the value, to be shown beside it; see ``DraftObject``.
  ///
  /// A binding that leads on into a value, to a member, an element or what an optional holds, has what is wrong
  /// with that part if whoever checks the value tells parts apart, as a draft does, and else what is wrong with
  /// the value.
  public var errors: [String] { check?.errors ?? [] }

  /// Creates a binding from a getter and a setter.
  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
    self.init(origin: nil, get: get, set: set)
  }

  /// Creates a binding that is given as `$name`: to the closure of `ForEachBinding($order.lines) { $line in … }`.
  public init(projectedValue: Binding) { self = projectedValue }

  init(
    origin: BindingOrigin?, check: (any BindingCheck)? = nil, get: @escaping () -> Value,
    set: @escaping (Value) -> Void
  ) {
    self.origin = origin
    self.check = check
    self.get = get
    self.set = set
  }

  /// The same binding, with what is wrong with its value.
  ///
  /// Elements show it beside the field; it is evaluated in the body, and what it reads are dependencies. A child
  /// view that is given such a binding is evaluated whenever its parent is: nobody knows whether two closures check
  /// the same.
  public func checked(_ check: @escaping () -> [String]) -> Binding {
    checked(by: ClosureCheck(check: check))
  }

  func checked(by check: any BindingCheck) -> Binding {
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
    let (get, set) = (get, set)
    return Binding<Member>(
      origin: origin?.member(path), check: memberCheck(path), get: { get()[keyPath: path] },
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

  /// What is wrong with a member: of an object that is told apart, of any other value nobody can.
  private func memberCheck<Member>(_ path: WritableKeyPath<Value, Member>) -> (any BindingCheck)? {
    guard let check else { return nil }
    guard path is ReferenceWritableKeyPath<Value, Member> else { return check.part(path) }
    let get = get
    return check.member(path) {
      let value = get()
      guard let object = value as? Object else { return nil }
      return PropertyPaths.name(on: object) { _ = value[keyPath: path] }
    }
  }
}

extension Binding: ComparableInput {
  func isSameInput(as other: Binding) -> Bool {
    guard let origin, origin == other.origin else { return false }
    guard let check, let checked = other.check else { return check == nil && other.check == nil }
    return check.origin != nil && check.origin == checked.origin
  }
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
  /// A two-way connection to the state of a view, which a transaction that fails sets back.
  var stateBinding: Binding<Value> {
    Binding(origin: BindingOrigin(self), get: { self.value }, set: { self.setState($0) })
  }

  /// A two-way connection to the signal.
  public var binding: Binding<Value> {
    Binding(origin: BindingOrigin(self), get: { self.value }, set: { self.value = $0 })
  }
}
