enum EngineModule {}
