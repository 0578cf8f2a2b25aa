// The content of bodies that reconciliation replaces by scopes and drawn elements.

/// Content of a body that a host has to evaluate or to interpret; the only placeholder.
final class HostContent: ElementPlaceholder {
  enum Storage {
    /// A view to be evaluated in a separate scope.
    case view(any View)
    /// Rows to be evaluated one by one.
    case rows(ForEachSource)
    /// Content to be evaluated in a separate scope, though it belongs to the view around it.
    case separate(SeparateContent)
    /// Elements with an identity given by `id(_:)`.
    case identified(AnyHashable, [Element])
    /// Elements in a changed environment.
    case environment((inout EnvironmentValues) -> Void, [Element])
    /// Elements with a lifecycle modifier.
    case lifecycle(any LifecycleModifier, [Element])
    /// A key binding, placed beside the content that it was attached to.
    case key(KeyBinding)
  }

  let storage: Storage

  init(_ storage: Storage) { self.storage = storage }
}

extension Element {
  init(_ content: HostContent.Storage) { storage = .placeholder(HostContent(content)) }

  /// The key binding that the element is, if any.
  var keyBinding: KeyBinding? {
    guard case .placeholder(let content) = storage, case .key(let binding)? = content.hosted else {
      return nil
    }
    return binding
  }
}

extension ElementPlaceholder {
  /// The content for the host.
  var hosted: HostContent.Storage? { (self as? HostContent)?.storage }
}

/// Content of a view that is evaluated separately.
///
/// Its reads don't re-evaluate the body around it.
final class SeparateContent {
  enum Role: String {
    /// An element with separately evaluated text, around content of the body.
    case section
    case header, footer
  }

  let role: Role
  let make: () -> Element

  init(_ role: Role, make: @escaping () -> Element) {
    self.role = role
    self.make = make
  }
}
