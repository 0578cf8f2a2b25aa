// Scenarios: a view, and what a user does with it and sees.
//
// A scenario has no access to the graph behind its view, which may be in another process. All that
// it checks is on screen, and all that happens, such as the end of an async intent, happens since
// the user presses something.

public import Signals
public import Testing

/// A view, and what its user does and sees, on any renderer.
///
/// The scenarios are a contract: a renderer that passes them does what most apps need. The ``basic``
/// ones are what each renderer needs first.
///
/// ```swift
/// @MainActor @Suite struct `My renderer` {
///   @Test(arguments: RendererScenario.all)
///   func scenario(_ scenario: RendererScenario) async {
///     let screen = MyScreen(scenario.root)
///     await scenario.check(screen)
///   }
/// }
/// ```
///
/// `MyScreen` conforms to ``RenderedScreen``.
public struct RendererScenario: Sendable, CustomTestStringConvertible {
  /// What the scenario proves, as a sentence.
  public let name: String
  /// Whether the scenario is one of those that a renderer needs first.
  public let isBasic: Bool
  /// Returns a new view, with new state.
  public let root: @Sendable () -> Element
  let script: @Sendable (ScenarioUser) async throws -> Void

  /// All scenarios, the basic ones first.
  public static let all = basic + further

  /// The name of the scenario.
  public var testDescription: String { name }

  /// Goes through the scenario, and reports what differs as issues of the running test.
  ///
  /// - Parameters:
  ///   - screen: A screen that shows ``root``, and on which nothing has been done.
  ///   - gap: Why the renderer can't pass; then it is an issue if it passes, and none if it fails for
  ///     another reason. `nil` if it must pass.
  ///   - sourceLocation: The source location of the issues.
  public nonisolated(nonsending) func check(
    _ screen: some RenderedScreen, gap: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let user = ScenarioUser(screen)
    do { try await script(user) } catch let failure as ScenarioUser.Failure {
      if gap == nil { IssueReporter.report("\(name): \(failure)", at: sourceLocation) }
      return
    } catch {
      if gap == nil {
        IssueReporter.report(
          "\(name): after \(user.history), the screen failed: \(error)", at: sourceLocation)
      }
      return
    }
    if let gap {
      IssueReporter.report(
        "\(name): the renderer passes, and it was said that it can't: \(gap)", at: sourceLocation)
    }
  }
}

/// The user of a scenario.
final class ScenarioUser {
  private let screen: any RenderedScreen
  private var acts: [UserAct] = []

  init(_ screen: any RenderedScreen) { self.screen = screen }

  /// Something that the user should have seen.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The acts so far, in words.
  var history: String {
    acts.isEmpty ? "nothing" : acts.map { "\($0)".prefix(120) }.joined(separator: ", ")
  }

  nonisolated(nonsending) func does(_ act: UserAct) async throws {
    acts.append(act)
    try await screen.perform(act)
  }

  /// Waits until the screen shows elements in an order, with any others between them.
  ///
  /// None of them may be shown once more, as by a renderer that leaves former elements on screen.
  nonisolated(nonsending) func sees(_ expected: ShownElement...) async throws {
    try await expect { shown in
      var rest = expected[...]
      for element in shown where rest.first.map(element.matches) == true { rest.removeFirst() }
      if let missing = rest.first { return "the screen doesn't show \(missing)" }
      return expected.first { element in
        shown.count { $0.isNamed(like: element) } > expected.count { $0.isNamed(like: element) }
      }.map { "the screen shows \($0) more than once" }
    }
  }

  /// Waits until no element on screen has a name.
  nonisolated(nonsending) func seesNo(_ names: String...) async throws {
    try await expect { shown in
      shown.first { names.contains($0.name) }.map { "the screen shows \($0)" }
    }
  }

  /// Waits until a condition returns no complaint.
  nonisolated(nonsending) func expect(_ complaint: ([ShownElement]) -> String?) async throws {
    var shown: [ShownElement] = []
    for _ in 0..<200 {
      shown = try await screen.read()
      if complaint(shown) == nil { return }
      try await screen.wait()
    }
    let lines = shown.prefix(60).map { "\n  \($0)" }.joined()
    throw Failure(
      description: "after \(history), \(complaint(shown) ?? "nothing"); it shows:\(lines)")
  }
}

extension ShownElement {
  static func text(_ text: String) -> ShownElement { ShownElement(.text, named: text) }
  static func button(_ title: String, in states: State...) -> ShownElement {
    ShownElement(.button, named: title, states: Set(states))
  }
  static func link(_ title: String) -> ShownElement { ShownElement(.link, named: title) }
  static func field(
    _ label: String, showing text: String, errors: [String] = []
  ) -> ShownElement {
    ShownElement(.field, named: label, value: text, errors: errors)
  }
  static func toggle(_ label: String, isOn: Bool) -> ShownElement {
    ShownElement(.toggle, named: label, value: isOn ? "on" : "off")
  }
  static func choice(_ label: String, chosen option: String) -> ShownElement {
    ShownElement(.choice, named: label, value: option)
  }
}
