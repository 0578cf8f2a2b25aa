import Foundation
package import ScrumsModel
package import Signals

/// What a form shows.
package struct FormDisplay: Equatable {
  package let heading: String
  package let title: String
  package let titleErrors: [String]
  package let minutes: String
  package let minutesErrors: [String]
  package let color: ScrumColor
  package let attendees: [String]
  package let attendeesErrors: [String]
  package let newAttendee: String
  package let hasConflicts: Bool
}

/// Says what a form shows, and what becomes of what is typed.
package final class FormPresenter {
  private let interactor: FormInteractor
  private let router: Router

  /// Presents the draft of an interactor.
  package init(_ interactor: FormInteractor, _ router: Router) {
    (self.interactor, self.router) = (interactor, router)
  }

  private var form: ScrumForm? {
    get { router.screen.form }
    set { if let newValue { router.keep(newValue) } }
  }

  package private(set) lazy var display = Computed { [unowned self] in
    let scrum = interactor.scrum
    return FormDisplay(
      heading: interactor.original.map { "Edit \($0.title)" } ?? "New scrum",
      title: scrum.title, titleErrors: interactor.titleErrors,
      minutes: "\(scrum.minutes)", minutesErrors: interactor.minutesErrors,
      color: scrum.color, attendees: scrum.attendees,
      attendeesErrors: interactor.attendeesErrors, newAttendee: form?.newAttendee ?? "",
      hasConflicts: interactor.hasConflicts)
  }

  package func didType(title: String) { interactor.scrum.title = title }
  package func didType(newAttendee: String) { form?.newAttendee = newAttendee }
  package func didChoose(_ color: ScrumColor) { interactor.scrum.color = color }
  package func didTapRemove(at place: Int) { interactor.scrum.removeAttendee(at: place) }

  package func didType(minutes: String) {
    if let minutes = Int(typed: minutes) { interactor.scrum.minutes = minutes }
  }

  package func didTapAddAttendee() {
    interactor.scrum.addAttendee(form?.newAttendee ?? "")
    form?.newAttendee = ""
  }

  package func didTapSave() throws { router.show(.detail(try interactor.save())) }
  func didTapSaveMine() throws { router.show(.detail(try interactor.saveMine())) }

  package func didTapCancel() {
    interactor.discard()
    router.show(interactor.original.map { .detail($0.id) } ?? .list)
  }
}
