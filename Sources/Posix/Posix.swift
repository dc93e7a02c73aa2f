// The module's types arrive one file each.
