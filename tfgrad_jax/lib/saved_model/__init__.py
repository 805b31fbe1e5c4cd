"""SavedModels: TensorFlow's format for whole programs, read and written without TensorFlow."""
