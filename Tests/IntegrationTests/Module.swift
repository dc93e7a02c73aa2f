enum IntegrationTestsModule {}
