"""The errata of the paper, each computed: what the paper says beside what is true."""
