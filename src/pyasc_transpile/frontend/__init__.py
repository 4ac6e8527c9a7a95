"""Front end: walks the Python of a kernel and builds its tile graph."""
