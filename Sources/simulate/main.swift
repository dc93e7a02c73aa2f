// simulate runs simulations from seeds, one after the other, and prints a line for each.
//
// A line is begun before its seed runs, so that a line without an end shows which one trapped.

import Glibc
import Simulation

guard let order = Order(CommandLine.arguments.dropFirst()) else {
    _ = write(STDERR_FILENO, Order.usage, Order.usage.utf8.count)
    exit(EX_USAGE)
}
exit(order.run() ? 0 : 1)
