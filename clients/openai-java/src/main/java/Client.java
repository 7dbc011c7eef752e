import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.MultipartField;
import com.openai.errors.BadRequestException;
import com.openai.errors.NotFoundException;
import com.openai.errors.UnauthorizedException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.audio.speech.SpeechCreateParams;
import com.openai.models.audio.transcriptions.TranscriptionCreateParams;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessage;
import com.openai.models.chat.completions.ChatCompletionToolChoiceOption;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.completions.CompletionCreateParams;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.images.Image;
import com.openai.models.images.ImageEditParams;
import com.openai.models.images.ImageGenerateParams;
import com.openai.models.moderations.ModerationCreateParams;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseFunctionToolCall;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.ToolChoiceOptions;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/** Tests a running Switchboard with the official Java library: one line `ok` or `failed` for each operation. */
public final class Client {
  private static final String QUESTION = "What is the weather in Paris? Call get_weather.";
  private static final OpenAIClient CLIENT = connect(System.getenv("SWITCHBOARD_KEY"));
  private static boolean hasFailed = false;

  /** A tool: its name is that of the class in snake case, its parameters are the fields. */
  public static final class GetWeather {
    public String city;
  }

  public static final class City {
    public String name;
    public int inhabitants;
  }

  private interface Operation {
    void run(String model) throws Exception;
  }

  public static void main(String[] arguments) {
    System.out.println("version " + OpenAIClient.class.getPackage().getImplementationVersion());
    operation("models", "CHAT", Client::listModels);
    operation("errors", "CHAT", Client::refuse);
    operation("chat", "CHAT", Client::chat);
    operation("chat-stream", "CHAT", Client::chatStream);
    operation("tools", "CHAT", Client::tools);
    operation("structured", "CHAT", Client::structured);
    operation("responses", "CHAT", Client::respond);
    operation("responses-stream", "CHAT", Client::respondStream);
    operation("responses-tools", "CHAT", Client::respondTools);
    operation("responses-structured", "CHAT", Client::respondStructured);
    operation("completions", "CHAT", Client::complete);
    operation("embeddings", "EMBEDDING", Client::embed);
    operation("speech", "SPEECH", Client::speak);
    operation("transcription", "TRANSCRIPTION", Client::transcribe);
    operation("images", "IMAGE", Client::generateImage);
    operation("images-edit", "IMAGE", Client::editImage);
    operation("moderations", "MODERATION", Client::moderate);
    System.exit(hasFailed ? 1 : 0);
  }

  /** Reports the outcome of an operation, or nothing if the service has no model of the type. */
  private static void operation(String name, String type, Operation operation) {
    String model = System.getenv("SWITCHBOARD_" + type + "_MODEL");
    if (model == null) return;
    try {
      operation.run(model);
      System.out.println("ok " + name);
    } catch (Exception error) {
      hasFailed = true;
      System.out.println("failed " + name + ": " + error);
    }
  }

  private static void check(boolean isRight, Object seen) {
    if (!isRight) throw new IllegalStateException("unexpected: " + seen);
  }

  private static OpenAIClient connect(String key) {
    return OpenAIOkHttpClient.builder()
        .baseUrl(System.getenv("SWITCHBOARD_URL") + "/v1")
        .apiKey(key)
        .timeout(Duration.ofMinutes(2))
        .build();
  }

  private static void listModels(String model) {
    check(CLIENT.models().list().data().stream().anyMatch(one -> one.id().equals(model)), model);
    check(CLIENT.models().retrieve(model).id().equals(model), model);
  }

  private static void refuse(String model) {
    expect(UnauthorizedException.class, () -> connect("sk-wrong").models().list());
    expect(NotFoundException.class, () -> CLIENT.chat().completions().create(hello("no/such-model")));
    ChatCompletionCreateParams empty = ChatCompletionCreateParams.builder().model(model).messages(List.of()).build();
    expect(BadRequestException.class, () -> CLIENT.chat().completions().create(empty));
  }

  private static void expect(Class<? extends Exception> failure, Runnable call) {
    try {
      call.run();
    } catch (Exception error) {
      check(failure.isInstance(error), error);
      return;
    }
    check(false, "no " + failure);
  }

  private static ChatCompletionCreateParams hello(String model) {
    return ChatCompletionCreateParams.builder().model(model).addUserMessage("Say hello.").build();
  }

  private static void chat(String model) {
    var completion = CLIENT.chat().completions().create(hello(model));
    check(!completion.choices().get(0).message().content().orElse("").isEmpty(), completion);
  }

  private static void chatStream(String model) {
    var answer = ChatCompletionAccumulator.create();
    try (var stream = CLIENT.chat().completions().createStreaming(hello(model))) {
      stream.stream().forEach(answer::accumulate);
    }
    var completion = answer.chatCompletion();
    check(!completion.choices().get(0).message().content().orElse("").isEmpty(), completion);
  }

  private static void tools(String model) {
    var request = ChatCompletionCreateParams.builder().model(model).addUserMessage(QUESTION).addTool(GetWeather.class);
    var required = ChatCompletionToolChoiceOption.Auto.REQUIRED;
    ChatCompletionMessage first =
        CLIENT.chat().completions().create(request.toolChoice(required).build()).choices().get(0).message();
    var call = first.toolCalls().orElseThrow().get(0).asFunction();
    check(call.function().arguments(GetWeather.class).city != null, call);
    var result = ChatCompletionToolMessageParam.builder().toolCallId(call.id()).content("21 degrees").build();
    request.addMessage(first).addMessage(result).toolChoice(ChatCompletionToolChoiceOption.Auto.AUTO);
    var second = CLIENT.chat().completions().create(request.build());
    check(!second.choices().get(0).message().content().orElse("").isEmpty(), second);
  }

  private static void structured(String model) {
    var request = ChatCompletionCreateParams.builder()
        .model(model)
        .addUserMessage("Describe Paris.")
        .responseFormat(City.class)
        .build();
    var completion = CLIENT.chat().completions().create(request);
    check(completion.choices().get(0).message().content().orElseThrow().name != null, completion);
  }

  private static ResponseCreateParams.Builder ask(String model, String input) {
    return ResponseCreateParams.builder().model(model).input(input);
  }

  private static String textOf(Response response) {
    return response.output().stream()
        .flatMap(item -> item.message().stream())
        .flatMap(message -> message.content().stream())
        .map(content -> content.asOutputText().text())
        .collect(Collectors.joining());
  }

  private static void respond(String model) {
    Response response = CLIENT.responses().create(ask(model, "Say hello.").build());
    check(!textOf(response).isEmpty() && response.usage().orElseThrow().totalTokens() > 0, response);
  }

  private static void respondStream(String model) {
    var answer = ResponseAccumulator.create();
    try (var stream = CLIENT.responses().createStreaming(ask(model, "Say hello.").build())) {
      stream.stream().forEach(answer::accumulate);
    }
    check(!textOf(answer.response()).isEmpty(), answer.response());
  }

  private static void respondTools(String model) {
    var request = ask(model, QUESTION).addTool(GetWeather.class).toolChoice(ToolChoiceOptions.REQUIRED);
    Response first = CLIENT.responses().create(request.build());
    ResponseFunctionToolCall call =
        first.output().stream().flatMap(item -> item.functionCall().stream()).findFirst().orElseThrow();
    check(call.arguments(GetWeather.class).city != null, call);
    var output = ResponseInputItem.FunctionCallOutput.builder().callId(call.callId()).output("21 degrees").build();
    var result = List.of(ResponseInputItem.ofFunctionCallOutput(output));
    request.inputOfResponse(result).previousResponseId(first.id()).toolChoice(ToolChoiceOptions.AUTO);
    Response second = CLIENT.responses().create(request.build());
    check(!textOf(second).isEmpty(), second);
  }

  private static void respondStructured(String model) {
    var response = CLIENT.responses().create(ask(model, "Describe Paris.").text(City.class).build());
    City city = response.output().stream()
        .flatMap(item -> item.message().stream())
        .map(message -> message.content().get(0).asOutputText())
        .findFirst()
        .orElseThrow();
    check(city.name != null, response);
  }

  private static void complete(String model) {
    var request = CompletionCreateParams.builder().model(model).prompt("One, two,").maxTokens(20).build();
    var completion = CLIENT.completions().create(request);
    check(!completion.choices().get(0).text().isEmpty(), completion);
  }

  private static void embed(String model) {
    var input = EmbeddingCreateParams.builder().model(model).inputOfArrayOfStrings(List.of("one", "two")).build();
    var embeddings = CLIENT.embeddings().create(input).data();
    check(embeddings.size() == 2 && !embeddings.get(0).embedding().isEmpty(), embeddings);
  }

  private static byte[] speak(String model) throws Exception {
    var request = SpeechCreateParams.builder()
        .model(model)
        .voice("alloy")
        .input("Hello, world.")
        .responseFormat(SpeechCreateParams.ResponseFormat.WAV)
        .build();
    try (var response = CLIENT.audio().speech().create(request)) {
      byte[] sound = response.body().readAllBytes();
      check(new String(sound, 0, 4).equals("RIFF"), sound.length);
      return sound;
    }
  }

  private static void transcribe(String model) throws Exception {
    InputStream sound = new ByteArrayInputStream(speak(System.getenv("SWITCHBOARD_SPEECH_MODEL")));
    var file = MultipartField.<InputStream>builder().value(sound).filename("hello.wav").build();
    var request = TranscriptionCreateParams.builder().model(model).file(file).build();
    var transcription = CLIENT.audio().transcriptions().create(request);
    check(!transcription.asTranscription().text().isEmpty(), transcription);
  }

  private static byte[] generateImage(String model) {
    var size = ImageGenerateParams.Size._512X512;
    var request = ImageGenerateParams.builder().model(model).prompt("a red fox").size(size).build();
    return readImage(CLIENT.images().generate(request).data().orElseThrow());
  }

  private static void editImage(String model) {
    byte[] source = generateImage(model);
    var image = ImageEditParams.Image.ofInputStream(new ByteArrayInputStream(source));
    var file = MultipartField.<ImageEditParams.Image>builder()
        .value(image)
        .filename("fox.png")
        .contentType("image/png")
        .build();
    var request = ImageEditParams.builder()
        .model(model)
        .image(file)
        .prompt("in snow")
        .size(ImageEditParams.Size._512X512)
        .build();
    byte[] edited = readImage(CLIENT.images().edit(request).data().orElseThrow());
    check(!Arrays.equals(source, edited), "the image did not change");
  }

  private static byte[] readImage(List<Image> images) {
    byte[] bytes = Base64.getDecoder().decode(images.get(0).b64Json().orElseThrow());
    check(new String(bytes, 1, 3).equals("PNG"), bytes.length);
    return bytes;
  }

  private static void moderate(String model) {
    var request = ModerationCreateParams.builder().model(model).input("Have a nice day.").build();
    check(!CLIENT.moderations().create(request).results().get(0).flagged(), "flagged");
  }
}
