import Glibc

exit(CommandLineProgram.main())
