enum DaemonTestsModule {}
