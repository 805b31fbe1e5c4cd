"""Our answers against TensorFlow's: small cases written once as functions of `tf`, and what TensorFlow answered to them."""
