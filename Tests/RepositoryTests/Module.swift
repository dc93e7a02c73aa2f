enum RepositoryTestsModule {}
