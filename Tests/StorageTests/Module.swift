enum StorageTestsModule {}
