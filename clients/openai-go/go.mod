module switchboard-client

go 1.23

require github.com/openai/openai-go/v3 v3.96.0
