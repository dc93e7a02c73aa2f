enum PosixTestsModule {}
