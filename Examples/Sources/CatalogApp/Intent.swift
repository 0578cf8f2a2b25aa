package import ControlFile
package import Signals

/// What somebody can ask of a catalogue.
package enum Intent: Equatable, Sendable {
  case filter(ScalarText)
  case sort(SortField, SortDirection)
  /// Nil for all sections.
  case section(ScalarText?)
  case open(ScalarText)
  case back
  case hold(ScalarText)
  case unhold(ScalarText)
  case remove(ScalarText)
  case undo
}

/// Why an intent was refused.
package enum IntentError: Error, Equatable, CustomStringConvertible {
  case unknownIntent(String)
  case missingArgument(String)
  case superfluousArgument(String)
  case unknownField(String)
  case unknownOrder(String)
  case unknownPackage(ScalarText)
  case unknownSection(ScalarText)
  case alreadyHeld(ScalarText)
  case notHeld(ScalarText)
  case nothingOpen
  case nothingToUndo

  /// What a message says of it.
  package var description: String {
    switch self {
    case .unknownIntent(let word): "\"\(word)\" is no intent; try \"help\" at the prompt"
    case .missingArgument(let argument): "\(argument) is missing"
    case .superfluousArgument(let argument): "\"\(argument)\" is too much"
    case .unknownField(let word): "can't sort by \"\(word)\", only by name, size or section"
    case .unknownOrder(let word): "\"\(word)\" is no order, only asc and desc are"
    case .unknownPackage(let name): "there is no package \(name)"
    case .unknownSection(let name): "there is no section \(name)"
    case .alreadyHeld(let name): "\(name) is held already"
    case .notHeld(let name): "\(name) is not held"
    case .nothingOpen: "no package is open"
    case .nothingToUndo: "there is nothing to undo"
    }
  }
}

extension Browser {
  /// Does what an intent asks for; a refused one changes nothing.
  package func perform(_ intent: Intent) throws {
    landing = nil
    switch intent {
    case .filter(let text):
      filter = text
      open = nil
    case .sort(let field, let order):
      self.field = field
      self.order = order
      open = nil
    case .section(let name):
      section = try name.map(known(section:))
      open = nil
    case .open(let name): open = try known(package: name)
    case .back:
      guard open != nil else { throw IntentError.nothingOpen }
      open = nil
    case .hold(let name):
      let package = try known(package: name)
      guard !package.isHeld else { throw IntentError.alreadyHeld(name) }
      package.isHeld = true
    case .unhold(let name):
      let package = try known(package: name)
      guard package.isHeld else { throw IntentError.notHeld(name) }
      package.isHeld = false
    case .remove(let name):
      let package = try known(package: name)
      if open === package { open = nil }
      try store.delete(package)
    case .undo:
      guard store.canUndo else { throw IntentError.nothingToUndo }
      try store.undo()
    }
  }

  private func known(package name: ScalarText) throws -> Package {
    guard let package = store.object(Package.self, primaryKey: name) else {
      throw IntentError.unknownPackage(name)
    }
    return package
  }

  private func known(section name: ScalarText) throws -> PackageSection {
    guard let section = store.object(PackageSection.self, primaryKey: name) else {
      throw IntentError.unknownSection(name)
    }
    return section
  }
}
