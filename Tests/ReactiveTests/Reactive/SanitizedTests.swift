#if SIGNALS_SANITIZED
  import TestSupport
  import Testing

  @testable import Signals

  @Suite("The address sanitizer") struct SanitizedTests {
    /// Exits that are reported show that the sanitizer is there, and that the engine keeps no memory
    /// for reuse from it.
    @Test func `an edge that is no longer used is freed`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let isWide = Signal(true)
        let other = Signal(1)
        let sum = Computed { isWide.value ? other.value : 0 }
        _ = sum.value
        let edge = sum.node.pointee.depsTail
        isWide.value = false
        _ = sum.value
        print(edge?.pointee.dep == sum.node)
      }
      expectError(result, "heap-use-after-free")
    }
  }
#endif
