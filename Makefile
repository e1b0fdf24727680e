# The commands that people run. CI runs .ci/run.
.PHONY: help run test lint pictures ci

help:
	@echo "make run       the program with the demo agent"
	@echo "make test      all tests, a tenth of the generated ones"
	@echo "make lint      gofmt, go vet, staticcheck"
	@echo "make pictures  draw the pictures of the documents"
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

ci:
	bash .ci/run
