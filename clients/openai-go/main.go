// Tests a running Switchboard with the official Go library: one line `ok` or `failed` for each operation.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
)

var (
	baseURL = option.WithBaseURL(os.Getenv("SWITCHBOARD_URL") + "/v1")
	client  = openai.NewClient(baseURL, option.WithAPIKey(os.Getenv("SWITCHBOARD_KEY")))
	failed  = false

	hello      = []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello.")}
	question   = "What is the weather in Paris? Call get_weather."
	parameters = map[string]any{
		"type":                 "object",
		"properties":           map[string]any{"city": map[string]any{"type": "string"}},
		"required":             []string{"city"},
		"additionalProperties": false,
	}
)

func main() {
	build, _ := debug.ReadBuildInfo()
	for _, dependency := range build.Deps {
		if strings.HasPrefix(dependency.Path, "github.com/openai/openai-go") {
			fmt.Println("version", strings.TrimPrefix(dependency.Version, "v"))
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	operation("models", "CHAT", func(model string) error { return listModels(ctx, model) })
	operation("errors", "CHAT", func(model string) error { return refuse(ctx, model) })
	operation("chat", "CHAT", func(model string) error { return chat(ctx, model) })
	operation("chat-stream", "CHAT", func(model string) error { return chatStream(ctx, model) })
	operation("tools", "CHAT", func(model string) error { return tools(ctx, model) })
	operation("responses", "CHAT", func(model string) error { return respond(ctx, model) })
	operation("responses-stream", "CHAT", func(model string) error { return respondStream(ctx, model) })
	operation("responses-tools", "CHAT", func(model string) error { return respondTools(ctx, model) })
	operation("completions", "CHAT", func(model string) error { return complete(ctx, model) })
	operation("embeddings", "EMBEDDING", func(model string) error { return embed(ctx, model) })
	operation("speech", "SPEECH", func(model string) error { _, err := speak(ctx, model); return err })
	operation("transcription", "TRANSCRIPTION", func(model string) error { return transcribe(ctx, model) })
	operation("images", "IMAGE", func(model string) error { _, err := generateImage(ctx, model); return err })
	operation("images-edit", "IMAGE", func(model string) error { return editImage(ctx, model) })
	operation("moderations", "MODERATION", func(model string) error { return moderate(ctx, model) })
	if failed {
		os.Exit(1)
	}
}

// operation reports the outcome of run, or nothing if the service has no model of the type.
func operation(name string, modelType string, run func(model string) error) {
	model := os.Getenv("SWITCHBOARD_" + modelType + "_MODEL")
	if model == "" {
		return
	}
	if err := run(model); err != nil {
		failed = true
		fmt.Printf("failed %s: %v\n", name, err)
		return
	}
	fmt.Println("ok", name)
}

// expect returns an error if the condition is false.
func expect(isRight bool, seen any) error {
	if isRight {
		return nil
	}
	return fmt.Errorf("unexpected: %+v", seen)
}

func listModels(ctx context.Context, model string) error {
	one, err := client.Models.Get(ctx, model)
	if err != nil {
		return err
	}
	models := client.Models.ListAutoPaging(ctx)
	isListed := false
	for models.Next() {
		isListed = isListed || models.Current().ID == model
	}
	return errors.Join(models.Err(), expect(isListed && one.ID == model, one))
}

func refuse(ctx context.Context, model string) error {
	stranger := openai.NewClient(baseURL, option.WithAPIKey("sk-wrong"), option.WithMaxRetries(0))
	_, wrongKey := stranger.Models.List(ctx)
	_, unknownModel := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "no/such-model", Messages: hello})
	_, noMessages := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: model, Messages: hello[:0]})
	return errors.Join(
		expect(statusOf(wrongKey) == 401, wrongKey),
		expect(statusOf(unknownModel) == 404, unknownModel),
		expect(statusOf(noMessages) == 400, noMessages),
	)
}

// statusOf returns the HTTP status of an API error, and 0 for other errors.
func statusOf(err error) int {
	var refusal *openai.Error
	if errors.As(err, &refusal) {
		return refusal.StatusCode
	}
	return 0
}

func chat(ctx context.Context, model string) error {
	completion, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: model, Messages: hello})
	if err != nil {
		return err
	}
	return expect(completion.Choices[0].Message.Content != "" && completion.Usage.TotalTokens > 0, completion)
}

func chatStream(ctx context.Context, model string) error {
	stream := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: model, Messages: hello})
	answer := openai.ChatCompletionAccumulator{}
	for stream.Next() {
		if !answer.AddChunk(stream.Current()) {
			return errors.New("the chunks do not belong together")
		}
	}
	return errors.Join(stream.Err(), expect(len(answer.Choices) == 1 && answer.Choices[0].Message.Content != "", answer))
}

func tools(ctx context.Context, model string) error {
	function := openai.FunctionDefinitionParam{Name: "get_weather", Parameters: parameters}
	request := openai.ChatCompletionNewParams{
		Model:      model,
		Messages:   []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
		Tools:      []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(function)},
		ToolChoice: openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: param.NewOpt("required")},
	}
	first, err := client.Chat.Completions.New(ctx, request)
	if err != nil {
		return err
	}
	message := first.Choices[0].Message
	if len(message.ToolCalls) != 1 || !strings.Contains(message.ToolCalls[0].Function.Arguments, "city") {
		return expect(false, message)
	}
	request.Messages = append(request.Messages, message.ToParam(), openai.ToolMessage("21 degrees", message.ToolCalls[0].ID))
	request.ToolChoice = openai.ChatCompletionToolChoiceOptionUnionParam{}
	second, err := client.Chat.Completions.New(ctx, request)
	if err != nil {
		return err
	}
	return expect(second.Choices[0].Message.Content != "", second)
}

func respond(ctx context.Context, model string) error {
	request := responses.ResponseNewParams{Model: model, Input: inputOf("Say hello.")}
	response, err := client.Responses.New(ctx, request)
	if err != nil {
		return err
	}
	return expect(response.Status == "completed" && response.OutputText() != "" && response.Usage.TotalTokens > 0, response)
}

func respondStream(ctx context.Context, model string) error {
	stream := client.Responses.NewStreaming(ctx, responses.ResponseNewParams{Model: model, Input: inputOf("Say hello.")})
	text, last := "", responses.ResponseStreamEventUnion{}
	for stream.Next() {
		last = stream.Current()
		if last.Type == "response.output_text.delta" {
			text += last.Delta
		}
	}
	isWhole := last.Type == "response.completed" && text != "" && last.Response.OutputText() == text
	return errors.Join(stream.Err(), expect(isWhole, last))
}

func respondTools(ctx context.Context, model string) error {
	request := responses.ResponseNewParams{
		Model:      model,
		Input:      inputOf(question),
		Tools:      []responses.ToolUnionParam{responses.ToolParamOfFunction("get_weather", parameters, true)},
		ToolChoice: responses.ResponseNewParamsToolChoiceUnion{OfToolChoiceMode: param.NewOpt(responses.ToolChoiceOptionsRequired)},
	}
	first, err := client.Responses.New(ctx, request)
	if err != nil {
		return err
	}
	call := first.Output[len(first.Output)-1].AsFunctionCall()
	if call.Name != "get_weather" {
		return expect(false, first)
	}
	result := responses.ResponseInputItemParamOfFunctionCallOutput("21 degrees")
	result.OfFunctionCallOutput.CallID = param.NewOpt(call.CallID)
	request.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{result}}
	request.PreviousResponseID = param.NewOpt(first.ID)
	request.ToolChoice = responses.ResponseNewParamsToolChoiceUnion{}
	second, err := client.Responses.New(ctx, request)
	if err != nil {
		return err
	}
	return expect(second.OutputText() != "", second)
}

func inputOf(text string) responses.ResponseNewParamsInputUnion {
	return responses.ResponseNewParamsInputUnion{OfString: param.NewOpt(text)}
}

func complete(ctx context.Context, model string) error {
	prompt := openai.CompletionNewParamsPromptUnion{OfString: param.NewOpt("One, two,")}
	completion, err := client.Completions.New(ctx, openai.CompletionNewParams{
		Model:     openai.CompletionNewParamsModel(model),
		Prompt:    prompt,
		MaxTokens: param.NewOpt[int64](20),
	})
	if err != nil {
		return err
	}
	return expect(completion.Choices[0].Text != "", completion)
}

func embed(ctx context.Context, model string) error {
	input := openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"one", "two"}}
	embeddings, err := client.Embeddings.New(ctx, openai.EmbeddingNewParams{Model: model, Input: input})
	if err != nil {
		return err
	}
	return expect(len(embeddings.Data) == 2 && len(embeddings.Data[0].Embedding) > 0, embeddings)
}

func speak(ctx context.Context, model string) ([]byte, error) {
	response, err := client.Audio.Speech.New(ctx, openai.AudioSpeechNewParams{
		Model:          model,
		Voice:          openai.AudioSpeechNewParamsVoiceUnion{OfString: param.NewOpt("alloy")},
		Input:          "Hello, world.",
		ResponseFormat: openai.AudioSpeechNewParamsResponseFormatWAV,
	})
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	sound, err := io.ReadAll(response.Body)
	return sound, errors.Join(err, expect(bytes.HasPrefix(sound, []byte("RIFF")), response.Status))
}

func transcribe(ctx context.Context, model string) error {
	sound, err := speak(ctx, os.Getenv("SWITCHBOARD_SPEECH_MODEL"))
	if err != nil {
		return err
	}
	file := openai.File(bytes.NewReader(sound), "hello.wav", "audio/wav")
	transcription, err := client.Audio.Transcriptions.New(ctx, openai.AudioTranscriptionNewParams{Model: model, File: file})
	if err != nil {
		return err
	}
	return expect(transcription.Text != "", transcription)
}

func generateImage(ctx context.Context, model string) ([]byte, error) {
	images, err := client.Images.Generate(ctx, openai.ImageGenerateParams{
		Model: model, Prompt: "a red fox", Size: openai.ImageGenerateParamsSize512x512,
	})
	if err != nil {
		return nil, err
	}
	return readImage(images)
}

func editImage(ctx context.Context, model string) error {
	source, err := generateImage(ctx, model)
	if err != nil {
		return err
	}
	images, err := client.Images.Edit(ctx, openai.ImageEditParams{
		Model:  model,
		Image:  openai.ImageEditParamsImageUnion{OfFile: openai.File(bytes.NewReader(source), "fox.png", "image/png")},
		Prompt: "in snow",
		Size:   openai.ImageEditParamsSize512x512,
	})
	if err != nil {
		return err
	}
	edited, err := readImage(images)
	return errors.Join(err, expect(!bytes.Equal(source, edited), "the image did not change"))
}

func readImage(images *openai.ImagesResponse) ([]byte, error) {
	image, err := base64.StdEncoding.DecodeString(images.Data[0].B64JSON)
	return image, errors.Join(err, expect(bytes.HasPrefix(image, []byte("\x89PNG")), "no PNG"))
}

func moderate(ctx context.Context, model string) error {
	input := openai.ModerationNewParamsInputUnion{OfString: param.NewOpt("Have a nice day.")}
	moderation, err := client.Moderations.New(ctx, openai.ModerationNewParams{Model: model, Input: input})
	if err != nil {
		return err
	}
	return expect(len(moderation.Results) == 1 && !moderation.Results[0].Flagged, moderation)
}
