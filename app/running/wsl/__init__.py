"""Steps that act in WSL: the package, the distro, and Linux inside it."""
