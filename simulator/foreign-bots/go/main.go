package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b, err := bot.New(
		os.Getenv("BOT_TOKEN"),
		bot.WithServerURL(os.Getenv("API_ROOT")),
		bot.WithMessageTextHandler("/start", bot.MatchTypeExact, start),
		bot.WithCallbackQueryDataHandler("shout", bot.MatchTypeExact, shout),
		bot.WithDefaultHandler(echo),
	)
	if err != nil {
		panic(err)
	}
	b.Start(ctx)
}

func start(ctx context.Context, b *bot.Bot, update *models.Update) {
	name := bot.EscapeMarkdown(update.Message.From.FirstName)
	must(b.SendMessage(ctx, &bot.SendMessageParams{
		ChatID:    update.Message.Chat.ID,
		Text:      "Hello, *" + name + "*\\!",
		ParseMode: models.ParseModeMarkdown,
	}))
}

func echo(ctx context.Context, b *bot.Bot, update *models.Update) {
	if update.Message == nil {
		return
	}
	if update.Message.Document != nil {
		copyDocument(ctx, b, update.Message)
		return
	}
	must(b.SendMessage(ctx, &bot.SendMessageParams{
		ChatID: update.Message.Chat.ID,
		Text:   update.Message.Text,
		ReplyMarkup: &models.InlineKeyboardMarkup{InlineKeyboard: [][]models.InlineKeyboardButton{{
			{Text: "Shout", CallbackData: "shout"},
		}}},
	}))
}

func copyDocument(ctx context.Context, b *bot.Bot, message *models.Message) {
	file := must(b.GetFile(ctx, &bot.GetFileParams{FileID: message.Document.FileID}))
	download := must(http.Get(b.FileDownloadLink(file)))
	defer download.Body.Close()
	content := must(io.ReadAll(download.Body))
	must(b.SendDocument(ctx, &bot.SendDocumentParams{
		ChatID: message.Chat.ID,
		Document: &models.InputFileUpload{
			Filename: "copy of " + message.Document.FileName,
			Data:     strings.NewReader(string(content)),
		},
	}))
}

func shout(ctx context.Context, b *bot.Bot, update *models.Update) {
	message := update.CallbackQuery.Message.Message
	must(b.EditMessageText(ctx, &bot.EditMessageTextParams{
		ChatID:    message.Chat.ID,
		MessageID: message.ID,
		Text:      strings.ToUpper(message.Text),
	}))
	must(b.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{
		CallbackQueryID: update.CallbackQuery.ID,
		Text:            "Done",
	}))
}

func must[Value any](value Value, err error) Value {
	if err != nil {
		panic(err)
	}
	return value
}
