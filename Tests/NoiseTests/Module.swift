enum NoiseTestsModule {}
