enum DiscoveryModule {}
