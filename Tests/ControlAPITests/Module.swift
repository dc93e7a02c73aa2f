enum ControlAPITestsModule {}
