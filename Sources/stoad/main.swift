print("stoad")
