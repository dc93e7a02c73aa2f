// simulate runs simulations from seeds, one after the other, and prints a line for each.
//
// A line is begun before its seed runs, so that a line without an end shows which one trapped.

import Glibc
import Simulation

do throws(Options.Refusal) {
    let options = try Options(CommandLine.arguments.dropFirst())
    exit(options.run() ? 0 : 1)
} catch {
    let text = "simulate: \(error.text)\n\(Options.usage)"
    _ = write(STDERR_FILENO, text, text.utf8.count)
    exit(EX_USAGE)
}
