internal import CSignalsThread

/// Whether more than half of this thread's stack is used: code that nests by what it is given goes no deeper.
package var isStackDeep: Bool { signals_stack_is_deep() }
