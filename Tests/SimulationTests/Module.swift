enum SimulationTestsModule {}
