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
}

/// Says what a form shows, and what becomes of what is typed.
package final class FormPresenter {
  private let interactor: FormInteractor
  private let router: Router
  @Signal private var newAttendee = ""
  private var keeping: Effect?

  /// Presents the draft of an interactor.
  package init(_ interactor: FormInteractor, _ router: Router) {
    (self.interactor, self.router) = (interactor, router)
    if let form = router.screen.form {
      form.fill(interactor.scrum)
      newAttendee = form.newAttendee
    }
    // What stands in the fields outlives the app.
    keeping = Effect { [unowned self] in
      let form = form
      untracked { router.keep(form) }
    }
  }

  private var form: ScrumForm {
    ScrumForm(
      interactor.scrum, isNew: interactor.original == nil, newAttendee: newAttendee)
  }

  package private(set) lazy var display = Computed { [unowned self] in
    let scrum = interactor.scrum
    return FormDisplay(
      heading: interactor.original.map { "Edit \($0.title)" } ?? "New scrum",
      title: scrum.title, titleErrors: interactor.titleErrors,
      minutes: "\(scrum.minutes)", minutesErrors: interactor.minutesErrors,
      color: scrum.color, attendees: scrum.attendees,
      attendeesErrors: interactor.attendeesErrors, newAttendee: newAttendee)
  }

  package func didType(title: String) { interactor.scrum.title = title }
  package func didType(newAttendee: String) { self.newAttendee = newAttendee }
  package func didChoose(_ color: ScrumColor) { interactor.scrum.color = color }
  package func didTapRemove(at place: Int) { interactor.scrum.removeAttendee(at: place) }

  package func didType(minutes: String) {
    if let minutes = Int(minutes) { interactor.scrum.minutes = minutes }
  }

  package func didTapAddAttendee() {
    interactor.scrum.addAttendee(newAttendee)
    newAttendee = ""
  }

  package func didTapSave() throws { router.show(.detail(try interactor.save())) }

  package func didTapCancel() {
    router.show(interactor.original.map { .detail($0.id) } ?? .list)
  }
}
