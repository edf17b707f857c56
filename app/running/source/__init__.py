"""Steps that build a package on this machine: look at the toolchain, fetch it, build a wheel."""
