enum EngineTestsModule {}
