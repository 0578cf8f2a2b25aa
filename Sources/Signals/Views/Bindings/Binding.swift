/// A two-way connection to a value that is stored elsewhere.
///
/// - A write to a property of a stored object is part of the transaction under way. Without one it
///   is a separate commit.
/// - Writing an equal value does nothing.
/// - A change in place, such as `binding.wrappedValue.append(1)`, reads the value, changes it and
///   writes it. If its source is written in the middle of that, one of the two writes would be lost,
///   so the program stops with a message that names the source.
/// - After the object has been deleted, a binding to its property reads the last value.
///
/// ```swift
/// TextField("Title", text: $book.title, id: "title")
/// ```
@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value> {
  let get: () -> Value
  let set: (Value) -> Void
  /// The source and the path to the value, if they are known.
  ///
  /// Two bindings with equal origins are the same input of a view.
  let origin: BindingOrigin?
  /// Reports errors of the value; nil if the value isn't checked.
  private(set) var check: (any BindingCheck)?

  /// The error messages for the value, to be shown beside it; see ``DraftObject``.
  ///
  /// A binding derived from another one, for a member, an element or an optional's value, reports
  /// only the errors of that part if the check can tell parts apart, as that of a draft can.
  /// Otherwise it reports all errors of the whole value.
  public var errors: [String] { check?.errors ?? [] }

  /// Creates a binding from a getter and a setter.
  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
    self.init(origin: nil, get: get, set: set)
  }

  /// Creates a binding from the `$name` parameter of a closure, as in
  /// `ForEachBinding($order.lines) { $line in … }`.
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

  /// Returns this binding with a closure that reports errors of its value.
  ///
  /// Elements show the errors beside the field. The closure is evaluated in the body, which then
  /// depends on the properties that it reads. A child view with such a binding is evaluated
  /// whenever its parent is, because two closures can't be compared.
  ///
  /// - Parameter check: Returns the messages of everything that is wrong with the value; none if it
  ///   is valid.
  /// - Returns: A binding to the same value that reports these errors, instead of those that this
  ///   one reports.
  public func checked(_ check: @escaping () -> [String]) -> Binding {
    checked(by: ClosureCheck(check: check))
  }

  func checked(by check: any BindingCheck) -> Binding {
    var copy = self
    copy.check = check
    return copy
  }

  /// Creates a binding with a fixed value that ignores writes.
  ///
  /// - Returns: A binding that always reads `value`.
  public static func constant(_ value: Value) -> Binding { Binding(get: { value }, set: { _ in }) }

  /// The value that the binding refers to.
  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
    nonmutating _modify {
      let mutation = BindingMutation()
      var value = mutation.read(get)
      defer {
        mutation.end()
        set(value)
      }
      yield &value
    }
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
        // With a reference key path only the member is written, not the reference.
        if let path = path as? ReferenceWritableKeyPath<Value, Member> {
          get()[keyPath: path] = new
          return
        }
        var value = get()
        value[keyPath: path] = new
        set(value)
      })
  }

  /// The check of a member.
  ///
  /// Members of objects are told apart; members of other values can't be.
  private func memberCheck<Member>(_ path: WritableKeyPath<Value, Member>) -> (any BindingCheck)? {
    guard let check else { return nil }
    guard path is ReferenceWritableKeyPath<Value, Member> else { return check.part(path) }
    let get = get
    return check.member(path) {
      let value = get()
      guard let object = value as? Object else { return nil }
      return PropertyResolver.property(of: object) { _ = value[keyPath: path] }?.name
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

/// The object that a binding writes to, and the path from there to the value.
struct BindingOrigin: Equatable {
  let object: AnyObject
  /// Key paths and element keys.
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
  /// A binding to the state of a view.
  ///
  /// A write is reverted if its transaction fails.
  var stateBinding: Binding<Value> {
    Binding(origin: BindingOrigin(self), get: { self.value }, set: { self.setState($0) })
  }

  /// A binding to the signal's value.
  public var binding: Binding<Value> {
    Binding(origin: BindingOrigin(self), get: { self.value }, set: { self.value = $0 })
  }
}
