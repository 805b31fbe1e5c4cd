"""Our answers against TensorFlow's: cases written once as functions of `tf`, and what TensorFlow answered."""
