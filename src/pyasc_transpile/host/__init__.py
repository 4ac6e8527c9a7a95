"""Everything around the generated text: compilers, builds, the cache, loading, launching, the output folder."""
