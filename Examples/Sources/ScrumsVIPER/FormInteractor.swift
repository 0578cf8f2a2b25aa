import Foundation
package import ScrumsModel
import Signals

/// What can be done with the draft of a scrum.
package final class FormInteractor {
  private let draft: Draft<DailyScrum>

  /// Drafts a scrum of a world, or an unstored one that is added when it is saved.
  package init(_ world: World, _ scrum: DailyScrum) {
    // What stands in the fields outlives the app.
    draft =
      scrum.store == nil
      ? world.store.draft(new: scrum, restoredAs: ScrumForm.draft)
      : world.store.draft(of: scrum, restoredAs: ScrumForm.draft)
  }

  var original: DailyScrum? { draft.original }
  var scrum: DailyScrum { draft.object }
  var titleErrors: [String] { draft.bindings.title.errors }
  var minutesErrors: [String] { draft.bindings.minutes.errors }
  var attendeesErrors: [String] { draft.bindings.attendees.errors }

  /// Whether others have changed what is changed here.
  var hasConflicts: Bool { !draft.conflicts.isEmpty }

  /// Saves what was changed; the answer is the id of the stored scrum.
  func save() throws -> UUID { try draft.commit().id }
  /// Saves it also over what others have changed.
  func saveMine() throws -> UUID { try draft.commit { _ in .mine }.id }

  /// Drops what was changed.
  func discard() { draft.discard() }
}
