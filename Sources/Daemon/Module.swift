enum DaemonModule {}
