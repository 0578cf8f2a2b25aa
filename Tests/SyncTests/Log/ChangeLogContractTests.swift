import SignalsSync
import SignalsTesting

/// The guarantees of all logs.
@Suite("Change logs, all kinds")
struct ChangeLogContractTests {
  @Test("Each scenario of logs", arguments: LogKind.allCases, LogScenario.all)
  func scenario(_ kind: LogKind, _ scenario: LogScenario) async throws {
    try await kind.withLog { try await scenario.check($0) }
  }
}
