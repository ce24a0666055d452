"""The stages of building, one file each; `core.pipeline.stage_table` puts them in their order."""
