import Glibc

// Fuzz --list                      names the targets, with the longest input of each
// Fuzz TARGET [libFuzzer's arguments]
// Fuzz --replay TARGET FILE...     runs a target on inputs, without libFuzzer
// Fuzz --verdicts                  says of inputs from a pipe what Swift makes of them (Verdicts.swift)
FuzzProgram.main()
