// simulate runs simulations from seeds, one after the other, and prints a line for each.
//
// A line is begun before its seed runs, so that a line without an end shows which one trapped.

import Glibc
import Simulation

do throws(Order.Refusal) {
    let order = try Order(CommandLine.arguments.dropFirst())
    exit(order.run() ? 0 : 1)
} catch {
    let text = "simulate: \(error.text)\n\(Order.usage)"
    _ = write(STDERR_FILENO, text, text.utf8.count)
    exit(EX_USAGE)
}
