package import Foundation

/// Where the user is, and what is not yet in the graph: one value, so that it is kept whole or not at all.
///
/// All three apps keep it as a `@Restored`. Scrums are named, not held: one may be gone by the time the
/// app comes back.
package enum Screen: Codable, Equatable, Sendable {
  case list
  case detail(UUID)
  case form(ScrumForm)
  case meeting(UUID, Meeting)

  /// Under which key a store keeps it.
  package static let key = "scrums.screen"

  /// What this is called among all places where a user can be.
  package var place: String {
    switch self {
    case .list: "list"
    case .detail(let id): "detail \(id)"
    case .form(let form): "form \(form.id)"
    case .meeting(let id, _): "meeting \(id)"
    }
  }

  /// The form on screen.
  package var form: ScrumForm? {
    get { if case .form(let form) = self { form } else { nil } }
    set { if form != nil, let newValue { self = .form(newValue) } }
  }

  /// The meeting on screen.
  package var meeting: Meeting? {
    get { if case .meeting(_, let meeting) = self { meeting } else { nil } }
    set { if case .meeting(let id, _) = self, let newValue { self = .meeting(id, newValue) } }
  }
}
