"""The stages of building, one file each; `core.build.pipeline` puts them in their order."""
