# The commands that people run. CI runs .ci/run.
.PHONY: help run test lint pictures packages ci

help:
	@echo "make run       the program with the demo agent"
	@echo "make test      all tests, a tenth of the generated ones"
	@echo "make lint      gofmt, go vet, staticcheck"
	@echo "make pictures  draw the pictures of the documents"
	@echo "make packages  what a release has, in dist/"
	@echo "make ci        all that CI runs, about 25 minutes"

run:
	go run . demo

test:
	go test ./...

lint:
	test -z "$$(gofmt -l .)"
	go vet ./...
	go tool staticcheck ./...

pictures:
	go run ./internal/pictures

packages:
	bash .ci/goreleaser release --snapshot --clean --skip=sign

ci:
	bash .ci/run
