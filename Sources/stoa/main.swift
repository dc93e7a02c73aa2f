import Glibc

exit(CommandLineProgram.main(Array(CommandLine.arguments.dropFirst())))
