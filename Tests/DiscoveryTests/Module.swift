enum DiscoveryTestsModule {}
