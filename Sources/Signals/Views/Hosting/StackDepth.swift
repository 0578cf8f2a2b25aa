internal import CSignalsThread

/// Whether more than half of this thread's stack is used.
///
/// Code whose recursion depth depends on its input recurses no further then.
package var isStackDeep: Bool { signals_stack_is_deep() }
