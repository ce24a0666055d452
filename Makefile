# What a contributor types; CONTRIBUTING.md says when.
.DEFAULT_GOAL := help
.PHONY: help check test slow heavy one dev snap bench real walks docs pictures sentences

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

check: ## ruff and mypy
	uv run ruff check .
	uv run ruff format --check .
	uv run mypy

test: ## the README's test command
	uv run pytest -n auto --dist worksteal

slow: ## kills, fuzzing and whole programs
	uv run pytest -m slow -n 4 --dist worksteal

heavy: ## the slow tests with every case and more kills
	LOSTKEYS_HEAVY=1 uv run pytest -m slow -n 4 --dist worksteal

one: ## one file or test: make one T=tests/...
	uv run pytest -m "slow or not slow" $(T)

dev: ## the screens on a sample database, under Textual's console
	uv run --group contribute textual run --dev tests.tui.dev:app

snap: ## new pictures of screens
	uv run pytest -m "slow or not slow" -n 4 --snapshot-update -k snapshot

bench: ## every benchmark with its smallest size
	uv run pytest -m slow tests/bench

real: ## what small real models reach, where LOSTKEYS_REAL names the folder of their files
	uv run python -m tests.real.measures

walks: ## files and functions that a key, a response, an import and a run go through
	uv run python -m tests.bench.walks

docs: ## generated pages, then the site in dist/docs; broken links are errors
	uv run python -m tests.reference_pages
	uv run sphinx-build -q -W --keep-going -b html docs dist/docs

pictures: ## the pictures of the documentation, from a database of the demo
	uv run python -m tests.tui.pictures demo.db

sentences: ## every sentence that a person can meet, and where
	@uv run python -m tests.sentences
