// Tests a running Switchboard with the official Go library.
// Settings are read from SWITCHBOARD_URL, SWITCHBOARD_KEY and SWITCHBOARD_MODEL. Prints one `ok` line for each check.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	baseURL := option.WithBaseURL(strings.TrimRight(os.Getenv("SWITCHBOARD_URL"), "/") + "/ai/openai")
	client := openai.NewClient(baseURL, option.WithAPIKey(os.Getenv("SWITCHBOARD_KEY")))
	model := os.Getenv("SWITCHBOARD_MODEL")
	request := openai.ChatCompletionNewParams{
		Model: model,
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("Answer in one short sentence."),
			openai.UserMessage("Say hello."),
		},
	}

	models := client.Models.ListAutoPaging(ctx)
	isListed := false
	for models.Next() {
		isListed = isListed || models.Current().ID == model
	}
	check("list models", isListed && models.Err() == nil, models.Err())
	one, err := client.Models.Get(ctx, model)
	check("retrieve model", err == nil && one.ID == model, err)

	completion, err := client.Chat.Completions.New(ctx, request)
	check("chat", err == nil && completion.Choices[0].Message.Content != "", err)
	reason := completion.Choices[0].FinishReason
	check("chat finish reason", reason == "stop" || reason == "length", reason)

	stream := client.Chat.Completions.NewStreaming(ctx, request)
	text, ids := "", map[string]bool{}
	for stream.Next() {
		chunk := stream.Current()
		ids[chunk.ID] = true
		if len(chunk.Choices) > 0 {
			text += chunk.Choices[0].Delta.Content
		}
	}
	check("stream", stream.Err() == nil && text != "", stream.Err())
	check("stream is one reply", len(ids) == 1, ids)

	stranger := openai.NewClient(baseURL, option.WithAPIKey("sk-wrong"), option.WithMaxRetries(0))
	_, err = stranger.Models.List(ctx)
	check("error: wrong key", statusOf(err) == 401, err)
	request.Model = "no/such-model"
	_, err = client.Chat.Completions.New(ctx, request)
	check("error: unknown model", statusOf(err) == 404, err)
	request.Model, request.Messages = model, []openai.ChatCompletionMessageParamUnion{}
	_, err = client.Chat.Completions.New(ctx, request)
	check("error: no messages", statusOf(err) == 400, err)
}

func check(name string, isRight bool, seen any) {
	if !isRight {
		fmt.Fprintf(os.Stderr, "mismatch in '%s': %v\n", name, seen)
		os.Exit(1)
	}
	fmt.Println("ok " + name)
}

// statusOf returns the HTTP status of an API error, and 0 for other errors.
func statusOf(err error) int {
	var refusal *openai.Error
	if errors.As(err, &refusal) {
		return refusal.StatusCode
	}
	return 0
}
