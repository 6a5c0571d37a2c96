"""What the experiments are about: hospitals, digits, handwriting and plays, each from its own source."""
